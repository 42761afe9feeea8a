#!/bin/sh
# known.sh JOBS: the records of JOBS with the rates of a machine that is x86-server but for three values.  "uringsim" is on
# the path.  The machine is simulated, not kept: what is known must stay known when the model changes.
set -eu
jobs=$1
truth=$(mktemp)
trap 'rm -f "$truth"' EXIT
# Nothing of it can be fitted (exit status 1); what counts is what it simulates.
uringsim calibrate "$jobs" --absolute --base x86-server --set Worker.Fetch=2700 --set 'FileSystem xfs.WritePage=950' \
  --set 'FileSystem tmpfs.WritePage=900' --parameter Block.Interrupt --seed 77 --reps 4 --limit-ios 4000 \
  --format json > "$truth" || [ $? -eq 1 ]
sed -n 's/^ *"simulated" : \([0-9]*\).*/\1/p' "$truth" | paste -d' ' - "$jobs" |
  sed 's/^\([0-9]*\) \(.*"iops": {\).*$/\2"p50": \1, "p80": \1, "max": \1, "min": \1}}/'
