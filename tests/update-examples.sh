#!/bin/sh
# Writes what the program prints now into the examples of README.md and doc/policies.md, in the source tree (see
# check-examples.sh): a block of output lines, up to "..." or the end of the example, is replaced by as many lines of the
# output from the one that is the block's first line now.  Run it by hand and look at the difference.
# Environment: top_srcdir, top_builddir.
set -u
cd "${top_srcdir:-.}" || exit 99
URINGSIM_DATADIR=${URINGSIM_DATADIR:-$PWD/model}
export URINGSIM_DATADIR
program=${top_builddir:-.}/uringsim
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

for page in README.md doc/policies.md; do
  awk -v program="$program" -v output="$work/output" '
    /^    \$ uringsim / { print; command = substr ($0, 7)
                          while (command ~ /\\$/) { sub (/\\$/, "", command); getline; print; sub (/^ +/, ""); command = command $0 }
                          sub (/^uringsim/, "\"" program "\"", command)
                          if (system (command " >" output) > 1) exit 1
                          n = 0; close (output); while ((getline line < output) > 0) text[++n] = line
                          inside = 1; at = 0; next }
    inside && /^    \.\.\.$/ { print; at = 0; next }
    inside && /^    /   { if (!at) { for (at = 1; at <= n && text[at] != substr ($0, 5);) at++ } else at++
                          if (at > n) { print "not in the output: " $0 >"/dev/stderr"; exit 1 }
                          print "    " text[at]; next }
                        { inside = 0; print }' "$page" >"$work/page" || exit 1
  cmp -s "$work/page" "$page" || cp "$work/page" "$page"
done
