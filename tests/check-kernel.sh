#!/bin/sh
# Captures the jobs of tests/kernel afresh on the running kernel and lays the simulation beside them: 5 runs of each job,
# so that what varies on the real kernel is known to vary.  Needs root, io_uring, tracefs and fio with its io_uring
# engine; says what is missing and exits with 77.  A file system that cannot be had here leaves out its jobs.
#   MACHINE=NAME   the machine to simulate (vm-6.18 in a guest of 2 CPUs with Linux 6.18, else generic-8cpu with as many
#                  CPUs as there are here); context switches are only asked for if it is named or known and nothing else
#                  runs: other tasks switch the job's away
#   KEEP=DIR       keeps the captures there
#   RUNS=N         runs of each job, 5
set -u
here=${top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
uringsim=${URINGSIM:-${top_builddir:-.}/uringsim}
runs=${RUNS:-5}

skip () { echo "check-kernel: skipped: $*"; exit 77; }
fail () { echo "check-kernel: $*" >&2; exit 1; }

[ "$(uname -s)" = Linux ] || skip "this is no Linux"
[ "$(id -u)" = 0 ] || skip "tracing needs root"
command -v fio > /dev/null || skip "fio is not installed"
fio --enghelp 2> /dev/null | grep -qw io_uring || skip "this fio has no io_uring engine"
[ "$(cat /proc/sys/kernel/io_uring_disabled 2> /dev/null || echo 0)" = 0 ] || skip "io_uring is switched off (kernel.io_uring_disabled)"
tracing=
mounted=
for t in /sys/kernel/tracing /sys/kernel/debug/tracing; do
  [ -d "$t/events/io_uring" ] && tracing=$t && break
done
if [ -z "$tracing" ] && mount -t tracefs nodev /sys/kernel/tracing 2> /dev/null; then
  mounted=/sys/kernel/tracing
  [ -d "$mounted/events/io_uring" ] && tracing=$mounted
fi
work=$(mktemp -d "${TMPDIR:-/var/tmp}/uringsim-kernel.XXXXXX") || fail "no directory for temporary files"
instance=$tracing/instances/uringsim-$$

clean_up () {
  cd /
  [ -n "$tracing" ] && [ -d "$instance" ] && rmdir "$instance"
  for fs in ext4 xfs tmpfs; do
    [ -d "$work/$fs" ] && umount "$work/$fs" 2> /dev/null
  done
  [ -n "$mounted" ] && umount "$mounted" 2> /dev/null
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
[ -n "$tracing" ] || skip "no tracefs with io_uring events"
mkdir "$instance" 2> /dev/null || skip "tracefs gives no instance of its own"

# A directory on the file system $1, in $place; FALSE if there is none.
place_on () {
  place=$work/$1
  [ -d "$place" ] && [ -f "$place/.ready" ] && return 0
  [ -d "$place" ] && return 1
  mkdir "$place"
  case $1 in
  tmpfs) mount -t tmpfs -o size=64m uringsim "$place" ;;
  *)
    if [ "$(findmnt -n -o FSTYPE -T "$work" 2> /dev/null)" = "$1" ]; then
      :
    else
      command -v "mkfs.$1" > /dev/null && truncate -s 512m "$work/$1.img" &&
        "mkfs.$1" -q "$work/$1.img" > /dev/null 2>&1 && mount -o loop "$work/$1.img" "$place" 2> /dev/null
    fi ;;
  esac && touch "$place/.ready"
}

# The files of job $1 exist, written and synced; "append" starts without, "warm" was read, too.
prepare () {
  names=$(sed -n 's/^filename=//p' "$1" | tr ':' ' ')
  set -- "$1" $names
  megabytes=$((4 * 1024 / ($# - 1)))
  for file in $names; do
    rm -f "$file"
    case $1 in *append*) continue ;; esac
    dd if=/dev/zero of="$file" bs=1k count="$megabytes" conv=fsync 2> /dev/null || return 1
    case $1 in *warm*) cat "$file" > /dev/null ;; esac
  done
  sync -f .
}

# ext4 may have no journal, which decides what a sync does.
journal_of () {
  device=$(findmnt -n -o SOURCE -T "$1" 2> /dev/null)
  case $2 in ext4-*) ls /proc/fs/jbd2 2> /dev/null | grep -q "^${device##*/}-" ;; esac
}

on () { echo "$2" > "$instance/$1" 2> /dev/null; }

# One traced run of job $1 into $2.
capture () {
  threads='comm ~ "fio*" || comm ~ "iou-*" || comm ~ "io_*"'
  on tracing_on 0
  on trace ""
  on events/io_uring/enable 1 || return 1
  [ -d "$instance/events/io_uring/io_uring_task_work_run" ] && on events/io_uring/io_uring_task_work_run/enable 0
  on events/sched/sched_wakeup/filter "$threads"
  on events/sched/sched_switch/filter "prev_$(echo "$threads" | sed 's/|| c/|| prev_c/g') || next_$(echo "$threads" | sed 's/|| c/|| next_c/g')"
  on events/sched/sched_wakeup/enable 1
  on events/sched/sched_switch/enable 1
  on tracing_on 1
  sleep 0.2 # what the preparation has left for kworkers would switch the job away
  fio --output=/dev/null "$1" || return 1
  on tracing_on 0
  on events/enable 0
  cat "$instance/trace" | gzip -c > "$2"
}

on trace_clock mono
on buffer_size_kb 16384
release=$(uname -r | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
policy=$("$uringsim" list policies | sed -n 's/^ *linux-\([0-9.]*\) .*/\1/p' | sort -t. -k1,1n -k2,2n |
         awk -F. -v release="$release" 'BEGIN { split (release, r, ".") }
           $1 < r[1] || ($1 == r[1] && $2 <= r[2]) { found = $0 } END { print found }')
[ -n "$policy" ] || skip "no policy is as old as this kernel, $release"
machine=${MACHINE:-}
if [ -z "$machine" ] && [ "$release" = 6.18 ] && [ "$(nproc)" = 2 ] && grep -qw hypervisor /proc/cpuinfo; then
  machine=vm-6.18
fi
busy=$(awk '{ print ($1 > 1) }' /proc/loadavg)
captures=$work/captures
mkdir "$captures"
{
  echo "[default]"
  echo "policy=linux-$policy"
  echo "kernel=$release"
  echo "machine=${machine:-generic-8cpu}"
  echo "cpus=$(nproc)"
  [ -n "$machine" ] && [ "$busy" = 0 ] || echo "switches=shown"
} > "$captures/validate.ini"
fio_version=$(fio --version)
minor=$(echo "$fio_version" | sed -n 's/^fio-3\.\([0-9]*\).*/\1/p')
[ "${minor:-0}" -lt 33 ] && skip "$fio_version is too old, expected 3.33 or later"
[ "$minor" -gt 42 ] && minor=42
echo "check-kernel: Linux $(uname -r), $(nproc) CPUs, $fio_version; $runs runs of each job"
[ "$busy" = 0 ] || echo "check-kernel: other tasks run (load $(cut -d' ' -f1 /proc/loadavg)): context switches are shown, not asked for"
for job in "$here"/tests/kernel/*.fio; do
  name=$(basename "$job" .fio)
  place_on "${name%%-*}" || { echo "check-kernel: $name left out: no ${name%%-*} to be had here"; continue; }
  if [ "$minor" -lt 38 ] && grep -q '^fsync=' "$job" && ! grep -q '^iodepth=1$' "$job"; then
    echo "check-kernel: $name left out: $fio_version issues a queued fsync again until one has completed, by chance how often"
    continue
  fi
  cp "$job" "$captures"
  journal_of "$place" "$name" || printf '[%s]\nfs=ext4-nojournal\n' "$name" >> "$captures/validate.ini"
  run=1
  while [ $run -le "$runs" ]; do
    cd "$place" || exit 1
    prepare "$job" || fail "$name: its files cannot be written"
    suffix=
    [ $run -gt 1 ] && suffix=.r$run
    capture "$job" "$captures/$name$suffix.trace.gz" || fail "$name: fio or the tracing of it failed"
    run=$((run + 1))
  done
done
cd "$work" || exit 1
if [ -n "${KEEP:-}" ]; then
  mkdir -p "$KEEP" && cp "$captures"/* "$KEEP" || fail "$KEEP: cannot be written"
fi
"$uringsim" validate "$captures" --fio-version "3.$minor"
