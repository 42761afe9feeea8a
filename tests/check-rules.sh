#!/bin/sh
# Every test that doc/rules.md names exists: `FILE: ROW` is a string of tests/test_FILE.c.  And every table has tests.
# Last line: "N passed, N failed".  Environment: top_srcdir.
set -u
cd "${top_srcdir:-.}" || exit 2
page=doc/rules.md
passed=0 failed=0

[ -r "$page" ] || { echo "check-rules.sh: no $page" >&2; exit 2; }
fail () {
  echo "FAIL: $page: $1"
  failed=$((failed + 1))
}

names=$(mktemp) || exit 2
trap 'rm -f "$names"' EXIT
# One name a line; the tables are rows that start with "| " and have three columns.
awk -F' [|] ' '/^\| / && NF == 3 && !/^\| (rule|---) / { n = split ($3, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' \
  "$page" > "$names"
while IFS= read -r name; do
  file=tests/test_${name%%: *}.c
  row=${name#*: }
  if [ ! -r "$file" ]; then
    fail "\"$name\": there is no $file"
  elif ! grep -qF -e "\"$row\"" "$file"; then
    fail "\"$row\" is no row of $file"
  else
    passed=$((passed + 1))
  fi
done < "$names"
without=$(awk -F' [|] ' '/^\| / && NF == 3 && !/^\| (rule|---) / && $3 !~ /`[a-z_]+: [^`]+`/ { print $1 }' "$page")
[ -z "$without" ] || fail "a rule without a test: $without"
[ "$passed" -gt 0 ] || fail "it names no test"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
