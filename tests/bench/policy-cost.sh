#!/bin/sh
# What evaluating a policy's rules takes of a punted I/O's simulation, in instructions counted by callgrind: a run of 2,000
# and one of 10,000 I/Os, so that what a run costs once drops out.  Exit status 1 if it is 10 % or more, 77 without valgrind.
# Environment: top_srcdir, top_builddir.  Argument: the policy, default linux-6.18.
set -u
policy=${1:-linux-6.18}
program=${top_builddir:-.}/uringsim
URINGSIM_DATADIR=${URINGSIM_DATADIR:-${top_srcdir:-.}/model}
export URINGSIM_DATADIR
command -v callgrind_annotate >/dev/null || { echo "policy-cost: no valgrind"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
printf '[writes]\nioengine=io_uring\nrw=randwrite\nbs=4k\niodepth=32\nsize=64m\ninvalidate=0\n' >"$work/job.fio"

# "ALL RULES" of a run with $1 I/Os; rules: policy_state_decide() and all below it.
count () {
  valgrind --quiet --tool=callgrind --callgrind-out-file="$work/out" "$program" run "$work/job.fio" --policy "$policy" \
    --cache dirty --limit-ios "$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 99; }
  callgrind_annotate --inclusive=yes --auto=no --threshold=100 "$work/out" | tr -d , | awk '
    / PROGRAM TOTALS/ { all = $1 }
    /:policy_state_decide \[/ && !rules { rules = $1 }
    END { print all, rules }'
}

few=$(count 2000) many=$(count 10000)
echo "$few $many" | awk -v policy="$policy" '{
  all = ($3 - $1) / 8000; rules = ($4 - $2) / 8000
  if (all <= 0 || rules <= 0) { print "policy-cost: nothing counted"; exit 1 }
  printf "%s: %.0f instructions a punted I/O, %.0f of them for the rules, %.1f %%\n", policy, all, rules, 100 * rules / all
  exit rules >= all / 10 }'
