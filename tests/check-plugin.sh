#!/bin/sh
# Builds the example plug-in and broken ones with $CC, and runs them: the example gives the same bytes as the policy file
# it stands for, a broken one a clear error with exit status 2.
set -u
cc=${CC:-cc}
uringsim=$top_builddir/uringsim
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

build () { # NAME, source on stdin
  cat > "$work/$1.c"
  $cc -Wall -Wextra -shared -fPIC -I"$top_srcdir/model" -o "$work/$1.so" "$work/$1.c" > "$work/$1.log" 2>&1
}
result () { # WHAT STATUS
  if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; fi
}

if ! build trylock < "$top_srcdir/doc/plugin/trylock-inline.c"; then
  cat "$work/trylock.log"
  echo "FAIL: the example does not build"
  exit 1
fi
[ -s "$work/trylock.log" ]; result "the example builds without a warning" $((! $?))

cat > "$work/a.fio" <<'JOB'
[a]
ioengine=io_uring
rw=randrw
bs=4k
iodepth=8
size=8m
numjobs=2
filename=shared
JOB
cd "$work" || exit 1
for options in "" "--reps 3 --threads 2" "--sqpoll --fs xfs"; do
  "$uringsim" run a.fio -q --format json --policy trylock-inline $options > file.json &&
    "$uringsim" run a.fio -q --format json --policy ./trylock.so $options > plugin.json && cmp file.json plugin.json
  result "same bytes as the policy file $options" $?
done
"$uringsim" run a.fio -q --policy ./trylock.so --decisions log > /dev/null &&
  grep -q ',0,"trylock-inline".*,trylock,queue:default,inline,"write=1 buffered=1 force_async=0"$' log
result "decisions of a plug-in are logged" $?
"$uringsim" show policy ./trylock.so | grep -q 'decide() is 0 *trylock *queue:default'
result "show prints its choices" $?

# NAME, message, members of the table after a right one; the last of equal members counts
broken () {
  build "$1" <<SOURCE
#include <stddef.h>
#include <uringsim-policy.h>
static uringsim_choice choices[] = { { .attempt = URINGSIM_NONE, .queue = "default" } };
static int decide (void *state, const uringsim_view *view) { (void) state; (void) view; return RETURNS; }
static uringsim_policy policy = { .abi = URINGSIM_POLICY_ABI, .name = "p", .title = "t", .base = "linux-6.3", .n_choices = 1,
                                  .choices = choices, .decide = decide };
const uringsim_policy *uringsim_policy_plugin (void) { $3 return &policy; }
SOURCE
  sed -i "s/RETURNS/${4:-0}/" "$1.c"
  $cc -shared -fPIC -I"$top_srcdir/model" -o "$1.so" "$1.c" || { result "$1 builds" 1; return; }
  "$uringsim" run a.fio -q --policy "./$1.so" > out 2> err
  status=$?
  [ $status = 2 ] && [ ! -s out ] && [ "$(wc -l < err)" = 1 ] && grep -q "$2" err
  result "$1: exit $status, $(cat err)" $?
}
broken abi 'built for ABI 99, this uringsim has ABI 1$' 'policy.abi = 99;'
broken no-decide 'it has no decide()$' 'policy.decide = NULL;'
broken no-name 'its name is no text' 'policy.name = NULL;'
broken bad-name 'its name is not made of letters' 'policy.name = "a b";'
broken bad-title 'its title holds a control character' 'policy.title = "\033[31m";'
broken no-base 'its base: .*no such name' 'policy.base = "linux-9.9";'
broken no-choices 'it has 0 choices, expected 1 to 64$' 'policy.n_choices = 0;'
broken too-many 'it has 4000000000 choices' 'policy.n_choices = 4000000000u;'
broken null-choices 'it has 0 choices' 'policy.choices = NULL;'
broken bad-attempt 'choice 0: attempt 7, on_again 0, post 0: one of them' 'choices[0].attempt = 7;'
broken bad-queue 'choice 0: its base linux-6.3 has no queue "defalt"$' 'choices[0].queue = "defalt";'
broken null-queue 'choice 0: its base linux-6.3 has no queue NULL$' 'choices[0].queue = NULL;'
broken retries 'choice 0: 5 retries' 'choices[0].retries = 5;'
broken poll 'choice 0: without an attempt' 'choices[0].on_again = URINGSIM_POLL;'
broken returns-7 'plug-in p: decide() returned 7, expected -1 or 0 to 0$' '' 7
broken returns-min 'decide() returned -2147483648' '' '(-2147483647 - 1)'
build empty <<'SOURCE'
int nothing;
SOURCE
printf 'not an object' > text.so
size=$(wc -c < trylock.so)
# Cut anywhere it is refused, and the program lives.
for bytes in 0 15 40 63 64 200 600 4096 $((size / 2)) ; do
  head -c "$bytes" trylock.so > cut.so
  "$uringsim" run a.fio -q --policy ./cut.so > out 2> err
  [ $? = 2 ] && [ ! -s out ] && grep -q '^uringsim: plug-in "./cut.so": \(cut off or damaged\|cannot be loaded\): ' err
  result "cut at $bytes of $size bytes: $(cat err)" $?
done
cp trylock.so badphoff.so
printf '\377\377\377\377\377\377\377\177' | dd of=badphoff.so bs=1 seek=32 conv=notrunc 2> /dev/null
printf 'int main (void) { return 0; }' > static.c
$cc -c -o object.so static.c
[ "$(getconf LONG_BIT)" = 64 ] || cp cut.so badphoff.so # e_phoff is elsewhere
for row in 'badphoff.so|end before its program headers$\|cut off' 'object.so|no shared object; cc -shared' 'empty.so|it has no symbol uringsim_policy_plugin$' 'text.so|cannot be loaded: ' 'gone.so|no such file$'; do
  "$uringsim" run a.fio -q --policy "./${row%%|*}" > out 2> err
  [ $? = 2 ] && grep -q "${row#*|}" err
  result "${row%%|*}: $(cat err)" $?
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
