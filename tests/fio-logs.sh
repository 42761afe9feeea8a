#!/bin/sh
# Logs that this machine's fio writes, read back: an iolog (write_iolog) and logs of latency, bandwidth and IOPS must tell
# of as many reads, writes, trims, syncs and bytes as the JSON of the run.
# Exit status 77, skipped, where there is no fio or it cannot run here.  Environment: top_srcdir, top_builddir.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top_srcdir=${top_srcdir:-$(cd "$here/.." && pwd)}
top_builddir=$(cd "${top_builddir:-$PWD}" && pwd)
PATH=$top_builddir:$PATH
export PATH LC_ALL=C
command -v fio >/dev/null || { echo "skipped: fio is not installed"; exit 77; }
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
failed=0

# The sum of a key over the jobs of a result: "sum FILE DIRECTION KEY".
sum () { awk -v direction="\"$2\"" -v key="\"$3\"" '
  $1 == direction { on = 1 } on && $1 == key { gsub (",", "", $3); total += $3; on = 0 } END { printf "%d\n", total }' "$1"; }

# "check WHAT FILE KEY=NUMBER...": what trace info says of it.
check () {
  what=$1 file=$2; shift 2
  uringsim trace info --format json "$file" --log-columns offset+prio >"$file.info" 2>"$file.err" ||
    { echo "FAIL: $what: $(cat "$file.err")"; failed=$((failed + 1)); return; }
  for fact; do
    json-check "\$.$fact" <"$file.info" 2>"$file.err" || { echo "FAIL: $what: $(cat "$file.err")"; failed=$((failed + 1)); }
  done
}

# Three kinds of jobs: plain calls with syncs, a ring, and one that trims (on no device at all).
run () {
  name=$1; shift
  fio --name="$name" --filename="$scratch/$name.dat" --size=256k "$@" --write_iolog="$name.iolog" \
    --write_lat_log="$name" --write_bw_log="$name" --write_iops_log="$name" --log_offset=1 --output-format=json \
    --output="$name.json" >"$name.out" 2>&1
}
run calls --ioengine=psync --rw=randrw --bsrange=512-8k --fsync=8 || { echo "skipped: fio does not run here"; exit 77; }
run ring --ioengine=io_uring --rw=randrw --iodepth=8 --fdatasync=16 || rm -f ring.json
run trims --ioengine=null --rw=trimwrite || rm -f trims.json

for name in calls ring trims; do
  [ -s "$name.json" ] || continue
  reads=$(sum $name.json read total_ios) writes=$(sum $name.json write total_ios) trims=$(sum $name.json trim total_ios)
  read_bytes=$(sum $name.json read io_bytes) write_bytes=$(sum $name.json write io_bytes)
  [ $((reads + writes + trims)) -gt 0 ] || { echo "FAIL: $name: no I/Os in $name.json"; failed=$((failed + 1)); continue; }
  syncs=$(grep -cE ' (sync|datasync) ' $name.iolog)
  check "$name: iolog" $name.iolog reads=$reads writes=$writes trims=$trims read_bytes=$read_bytes write_bytes=$write_bytes \
    syncs=$syncs files=1 skipped=0
  for kind in lat clat bw iops; do
    [ ! -s ${name}_$kind.1.log ] || check "$name: $kind log" ${name}_$kind.1.log rows=$((reads + writes + trims)) \
      reads=$reads writes=$writes trims=$trims skipped=0
  done
  # The replay issues what was logged.
  if [ "$trims" -eq 0 ]; then
    uringsim run -q $name.iolog --format json >$name.run 2>$name.err &&
      json-check "\$.runs[0].ios=$((reads + writes))" <$name.run 2>$name.err ||
      { echo "FAIL: $name: replay: $(cat $name.err)"; failed=$((failed + 1)); }
  fi
done
echo "$failed failed"
[ "$failed" -eq 0 ]
