#!/bin/sh
# The errors of rows left out that experiments keep (LeftOutError=) are those that calibrate finds, within 0.03.
# Takes minutes: part of make check-long.  77 (skipped) if no experiment keeps any.  Last line: "N passed, N failed"
# (rows).
# Environment: top_srcdir, top_builddir.
set -u
cd "${top_srcdir:-.}" || exit 2
program=${top_builddir:-.}/uringsim
passed=0 failed=0

[ -x "$program" ] || { echo "check-left-out.sh: no $program" >&2; exit 2; }
for file in $(grep -l '^LeftOutError=' model/experiments/*.experiment); do
  found=$("$program" calibrate --experiment "$file" --threads 2 -q --format json) ||
    { echo "FAIL: calibrate --experiment $file"; failed=$((failed + 1)); continue; }
  # ROW<tab>ERROR of the file, then of the fit.
  kept=$(awk -F= '/^\[/ { row = ""; if (/^\[Row /) row = substr ($0, 6, length ($0) - 6) }
    /^LeftOutError=/ && row != "" { print row "\t" $2 }' "$file")
  fitted=$(printf '%s\n' "$found" | awk -F'"' '/^ *"name" :/ { row = $4 }
    /^ *"left_out_signed_error" :/ { sub (/^ *: */, "", $3); sub (/,$/, "", $3); print row "\t" $3 }')
  verdicts=$(printf '%s\n--\n%s\n' "$fitted" "$kept" | awk -F'\t' -v file="$file" '
    $0 == "--" { reading = 1; next }
    !reading { error[$1] = $2; next }
    !($1 in error) { print "FAIL: " file ": row " $1 " was not fitted to"; next }
    { difference = error[$1] - $2; if (difference < 0) difference = -difference
      print (difference <= 0.03 ? "ok" : \
        "FAIL: " file ": row " $1 ": LeftOutError=" $2 ", calibrate finds " error[$1]) }')
  printf '%s\n' "$verdicts" | grep '^FAIL'
  passed=$((passed + $(printf '%s\n' "$verdicts" | grep -c '^ok')))
  failed=$((failed + $(printf '%s\n' "$verdicts" | grep -c '^FAIL')))
done
[ $((passed + failed)) -gt 0 ] || { echo "skipped: no experiment keeps errors of rows left out"; exit 77; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
