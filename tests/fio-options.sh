#!/bin/sh
# The options of small job files (tests/data/jobs/options.jobs) as this program reads them, beside what fio itself makes of
# them: fio --debug=parse says each option's value.  Exit status 77, skipped, where there is no fio.
# Environment: top_srcdir, top_builddir.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top_srcdir=${top_srcdir:-$(cd "$here/.." && pwd)}
top_builddir=$(cd "${top_builddir:-$PWD}" && pwd)
command -v fio >/dev/null || { echo "skipped: fio is not installed"; exit 77; }
[ -x "$top_builddir/job-options" ] || { echo "fio-options.sh: no job-options in $top_builddir" >&2; exit 2; }
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
LC_ALL=C SIZE_OF_JOB=24k
export LC_ALL SIZE_OF_JOB
unset NOT_SET

# fio's side: "SECTION-NUMBER NAME=VALUE", globals copied to the jobs behind them.
fio_values () { awk '
  function number_of (i) { return outs[i] }
  function three (name,   p, i, parts, value) {
    p = split (ptr, parts, ",")
    split (opt[target, name], value, ",")
    if (!(1 in value)) split (name == "percentage_random" ? "100,100,100" : name == "bs" ? "4096,4096,4096" : "0,0,0", value, ",")
    for (i = 1; i <= 3; i++) {
      k = i <= p ? i : p
      if (ret[k] == 0) value[i] = outs[k]
    }
    return value[1] "," value[2] "," value[3]
  }
  function finish (   v) {
    if (name == "") return
    v = ""
    if (name ~ /^(bs|ba|rate|rate_iops|percentage_random)$/) v = three(name)
    else if (name ~ /^(size|io_size|offset|offset_increment)$/ && ptr ~ /%$/) v = ptr
    else if (name == "startdelay") v = outs[1]
    else if (name == "buffered") { name = "direct"; v = 1 - outs[1] }
    else if (name == "rwmixwrite") { name = "rwmixread"; v = 100 - outs[1] }
    else if (name == "rw") { v = ptr; sub (/readwrite/, "rw", v) }
    else if (name == "sync") v = ptr == "1" ? "sync" : ptr == "0" ? "none" : ptr
    else if (name == "ioengine") v = ptr ~ /^(sync|vsync|pvsync|pvsync2)$/ ? "psync" : ptr
    else if (name == "bsrange") v = ptr "," ptr "," ptr
    else if (n) v = outs[n]
    else if (name == "bssplit") v = "" # what it comes to is not said
    else v = ptr
    if (v == "") { name = ""; return }
    if (!((target, name) in opt)) names[target] = names[target] " " name
    opt[target, name] = v
    name = ""
  }
  { sub (/^parse +[0-9]+ +/, "") }
  /^Parsing section \[/ {
    finish ()
    section = $0; sub (/^Parsing section \[/, "", section)
    if (section ~ /^global/) target = 0
    else { target = ++jobs; m = split (names[0], list, " "); names[target] = names[0]
           for (i = 1; i <= m; i++) opt[target, list[i]] = opt[0, list[i]] }
    next
  }
  /^filling default options/ { finish (); defaults = 1; next }
  /^handle_option=/ {
    finish (); n = 0
    name = $0; sub (/^handle_option=/, "", name); ptr = name; sub (/, ptr=.*/, "", name); sub (/^[^,]*, ptr=/, "", ptr)
    next
  }
  /^ret=[01], out=/ { n++; ret[n] = substr ($0, 5, 1); outs[n] = $0; sub (/.*out=/, "", outs[n]) }
  END { finish (); for (t = 1; t <= jobs; t++) { m = split (names[t], list, " ")
        for (i = 1; i <= m; i++) print t, list[i] "=" opt[t, list[i]] } }'; }

# Ours, in the same form.
our_values () { awk '/^\[/ { section++; next } { print section, $0 }'; }

compared=0 failed=0 jobs=0
check () {
  jobs=$((jobs + 1))
  (cd "$scratch/dir" && fio --debug=parse --parse-only job.fio </dev/null) >"$scratch/debug" 2>"$scratch/stderr"
  if [ $? -ne 0 ]; then echo "FAIL: $name: fio refuses it:"; head -5 "$scratch/stderr"; failed=$((failed + 1)); return; fi
  fio_values <"$scratch/debug" >"$scratch/fio"
  if ! (cd "$scratch/dir" && "$top_builddir/job-options" job.fio </dev/null) 2>"$scratch/stderr" | our_values >"$scratch/ours" ||
     [ -s "$scratch/stderr" ]; then
    echo "FAIL: $name:"; head -5 "$scratch/stderr"; failed=$((failed + 1)); return
  fi
  while IFS= read -r value; do
    key=${value%%=*}
    grep -q -e "^$key=" "$scratch/ours" || continue
    compared=$((compared + 1))
    grep -qFx -e "$value" "$scratch/ours" && continue
    failed=$((failed + 1))
    echo "FAIL: $name: job $value; found $(grep -e "^$key=" "$scratch/ours")"
  done <"$scratch/fio"
}

name=
while IFS= read -r line || [ -n "$line" ]; do
  case $line in
  '== '*) [ -z "$name" ] || check
          name=${line#== } file=$scratch/dir/job.fio
          rm -rf "$scratch/dir"; mkdir "$scratch/dir" ;;
  '+ '*)  file=$scratch/dir/${line#+ }; mkdir -p "$(dirname "$file")" ;;
  *)      [ -z "$name" ] || printf '%s\n' "$line" >>"$file" ;;
  esac
done <"$top_srcdir/tests/data/jobs/options.jobs"
check
echo "$jobs job files, $compared options compared, $failed failed"
[ "$failed" -eq 0 ] && [ "$jobs" -ge 40 ] && [ "$compared" -ge 250 ]
