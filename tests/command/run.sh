#!/bin/sh
# Runs the command tests (README says how they are written).  Arguments: case files, default all beside this script.
# Environment: top_srcdir, top_builddir.  Last line: "N passed, N failed"; exit status 1 if one failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top_srcdir=${top_srcdir:-$(cd "$here/../.." && pwd)}
top_builddir=${top_builddir:-$PWD}
traces=$top_srcdir/traces data=$top_srcdir/tests/data
PATH=$top_builddir:$PATH
URINGSIM_DATADIR=${URINGSIM_DATADIR:-$top_srcdir/model}
LC_ALL=C
export PATH URINGSIM_DATADIR LC_ALL traces data top_srcdir
[ -x "$top_builddir/uringsim" ] || { echo "run.sh: no uringsim in $top_builddir" >&2; exit 2; }
[ $# -gt 0 ] || set -- "$here"/*.cases

scratch=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
passed=0 failed=0 name=

start_case () {
  name=$1 status=0 target=
  rm -rf "$scratch/dir" "$scratch/expect"
  mkdir "$scratch/dir" "$scratch/expect"
  for list in script stderr stdout absent; do : >"$scratch/expect/$list"; done
}

complain () { problems="$problems
    $*"; }

check_stderr () {
  expected=$(wc -l <"$scratch/expect/stderr") found=$(grep -c '' "$scratch/stderr")
  [ "$expected" -eq "$found" ] || complain "stderr has $found lines, expected $expected"
  n=0
  while IFS= read -r pattern; do
    n=$((n + 1))
    sed -n "${n}p" "$scratch/stderr" | grep -Eq -e "$pattern" || complain "line $n of stderr does not match: $pattern"
  done <"$scratch/expect/stderr"
}

check_stdout () {
  while IFS= read -r pattern; do
    grep -Eq -e "$pattern" "$scratch/stdout" || complain "no line of stdout matches: $pattern"
  done <"$scratch/expect/stdout"
  while IFS= read -r pattern; do
    if grep -Eq -e "$pattern" "$scratch/stdout"; then complain "a line of stdout matches: $pattern"; fi
  done <"$scratch/expect/absent"
}

end_case () {
  [ -n "$name" ] || return 0
  problems=
  before=$(cd "$scratch/dir" && ls -lA)
  (cd "$scratch/dir" && exec sh "$scratch/expect/script") >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
  got=$?
  [ "$got" -eq "$status" ] || complain "exit status $got, expected $status"
  check_stderr
  check_stdout
  if [ "$status" -ne 0 ]; then
    [ -s "$scratch/expect/stdout" ] || [ ! -s "$scratch/stdout" ] || complain "stdout is not empty"
    [ "$before" = "$(cd "$scratch/dir" && ls -lA)" ] || complain "the command left something in its directory"
  fi
  if [ -z "$problems" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $file: $name$problems"
    sed 's/^/    | /' "$scratch/expect/script"
    echo "    stderr:"; head -n 10 "$scratch/stderr" | sed 's/^/    | /'
    echo "    stdout:"; head -n 20 "$scratch/stdout" | sed 's/^/    | /'
  fi
  name=
}

for path; do
  file=${path##*/}
  while IFS= read -r line || [ -n "$line" ]; do
    rest=${line#??}
    case $line in
    '== '*) end_case; start_case "${line#== }" ;;
    '+ '*) target=$scratch/dir/$rest; : >"$target" ;;
    '|'*)   printf '%s\n' "$rest" >>"$target" ;;
    '$ '*)  printf '%s\n' "$rest" >>"$scratch/expect/script" ;;
    '? '*)  status=$rest ;;
    '! '*)  printf '%s\n' "$rest" >>"$scratch/expect/stderr" ;;
    '> '*)  printf '%s\n' "$rest" >>"$scratch/expect/stdout" ;;
    '< '*)  printf '%s\n' "$rest" >>"$scratch/expect/absent" ;;
    '#'*|'') ;;
    *) echo "run.sh: $file: cannot read: $line" >&2; exit 2 ;;
    esac
  done <"$path"
  end_case
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
