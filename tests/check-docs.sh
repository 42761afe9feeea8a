#!/bin/sh
# The manual knows what the program knows: every command has a page, and every option, policy variable, machine cost, key of an
# experiment and applied fio option stands in the page it belongs to.  Last line: "N passed, N failed".
# Environment: top_srcdir, top_builddir.
set -u
cd "${top_srcdir:-.}" || exit 2
program=${top_builddir:-.}/uringsim
passed=0 failed=0

# documented PAGES WORD: the word stands in one of the pages, with or without scdoc's escapes.
documented () {
  if sed 's/\\//g' $1 | grep -qF -e "$2"; then
    passed=$((passed + 1))
  else
    echo "FAIL: $2 is not in $1"
    failed=$((failed + 1))
  fi
}

[ -x "$program" ] || { echo "check-docs.sh: no $program" >&2; exit 2; }
# A command may have two words; their page is that of the first.
commands=$("$program" --help | sed -n 's/^  \([a-z]*\( [a-z][a-z]*\)\{0,1\}\)  .*/\1/p' | tr ' ' '-')
for command in $commands; do
  words=$(echo "$command" | tr '-' ' ')
  page=doc/man/uringsim-${command%%-*}.1.scd
  [ -e "$page" ] || { echo "FAIL: no $page"; failed=$((failed + 1)); continue; }
  documented doc/man/uringsim.1.scd "*$(echo "$words" | sed 's/ /* \*/')*"
  for option in $("$program" $words --help | sed -n 's/^  .\{4\}\(--[a-z0-9-]*\).*/\1/p'); do
    documented "$page doc/man/uringsim.1.scd" "*$option*"
  done
done
for variable in $(sed -n 's/^  X (POLICY_[A-Z_]*, *"\([^"]*\)".*/\1/p' model/policy.h); do
  documented doc/man/uringsim-policy.5.scd "*$variable*"
done
# Each key of a policy file stands in the page, and its examples are right: a piece of a file is tried as a change of linux-6.3 or 5.3.
keys='/^static const char [*]const [a-z]*_keys/ { inside = 1 } inside { print } /;/ { inside = 0 }'
for key in $(awk "$keys" model/policy.c model/policy_queue.c | grep -o '"[A-Za-z]*"' | tr -d '"'); do
  documented doc/man/uringsim-policy.5.scd "*$key=*"
  awk '/^```/ { inside = !inside } inside' doc/man/uringsim-policy.5.scd | grep -q "^$key=" && passed=$((passed + 1)) ||
    { echo "FAIL: no example of $key= in uringsim-policy(5)"; failed=$((failed + 1)); }
done
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
awk -v work="$work" '/^```/ { inside = !inside; if (inside) n++; next } inside { print > (work "/" n) }' doc/man/uringsim-policy.5.scd
for example in "$work"/*; do
  tried=$work/tried.policy
  for base in linux-6.3 linux-5.3; do
    { grep -q '^\[Policy\]' "$example" || printf '[Policy]\nName=x\nTitle=x\nBase=%s\n' $base; cat "$example"; } > "$tried"
    "$program" policy check "$tried" > "$tried.said" 2>&1 && break
  done
  if grep -q ': ok: ' "$tried.said"; then
    passed=$((passed + 1))
  else
    echo "FAIL: an example of uringsim-policy(5):"
    cat "$example" "$tried.said"
    failed=$((failed + 1))
  fi
done
costs='s/^  X (COST_[A-Z_]*, *"[A-Za-z]*", *"\([A-Za-z]*\)".*/\1/p
s/^  X (FS_[A-Z_]*, *"\([A-Za-z]*\)".*/\1/p'
for cost in $(sed -n "$costs" model/machine.h); do
  documented doc/man/uringsim-machine.5.scd "*$cost=*"
done
for metric in $(sed -n 's/^  X (METRIC_[A-Z_]*, *"\([A-Za-z]*\)".*/\1/p' model/metric.h); do
  documented doc/man/uringsim-experiment.5.scd "*$metric=*"
done
for key in $(sed -n '/EXPERIMENT_RUN_KEYS/,/^$/p' model/experiment_private.h | grep -o '"[A-Za-z]*"' | tr -d '"'); do
  documented doc/man/uringsim-experiment.5.scd "*$key=*"
done
for option in $(sed -n 's/^  [A-Z]* ("\([a-z_]*\)", .*/\1/p' src/input/fio_options.c); do
  documented doc/man/uringsim-job.5.scd "*$option*"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 100 ]
