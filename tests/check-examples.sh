#!/bin/sh
# The examples of README.md and doc/policies.md are run, and what they show must be what the program prints: an indented line that
# starts with "$ uringsim" is a command (continued after a backslash); the indented lines behind it are lines of its
# output, in that order; "..." stands for lines left out.
# Environment: top_srcdir, top_builddir.
set -u
cd "${top_srcdir:-.}" || exit 99
program=${top_builddir:-.}/uringsim
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# One file per example: its command on the first line, then the lines it shows.
for page in README.md doc/policies.md; do
  rm -f "$work"/example-*
  awk -v work="$work" '
  /^    \$ uringsim / { n++; file = sprintf ("%s/example-%d", work, n); command = substr ($0, 7)
                        while (command ~ /\\$/) { sub (/\\$/, "", command); getline; sub (/^ +/, ""); command = command $0 }
                        print command > file; inside = 1; next }
  inside && /^    /   { print substr ($0, 5) > file; next }
  inside && /^$/      { next }
                      { inside = 0 }' "$page"
  shown=0
  for example in "$work"/example-*; do
    [ -e "$example" ] || continue
    shown=$((shown + 1))
    command=$(sed -n 1p "$example")
    (eval "$(printf '%s' "$command" | sed "s|^uringsim|\"$program\"|")") >"$work/output" 2>"$work/errors"
    if sed 1d "$example" | awk -v output="$work/output" '
        /^\.\.\.$/ { next }
        { found = 0
          while ((getline line < output) > 0) if (line == $0) { found = 1; break }
          if (!found) { print "not in the output, or not in this order: " $0; exit 1 } }'; then
      passed=$((passed + 1))
    else
      echo "FAIL: $page: $command"
      cat "$work/errors"
      failed=$((failed + 1))
    fi
  done
  [ "$shown" -gt 0 ] || { echo "FAIL: $page shows no example"; failed=$((failed + 1)); }
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
