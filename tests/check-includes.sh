#!/bin/sh
# The arrows of the source go one way: command -> input, output, model -> engine, and command -> fit -> engine.  Lists
# every #include "..." that goes another way, or that does not start at the source root.  Last line:
# "N passed, N failed" (files).
set -u
cd "${top_srcdir:-.}" || exit 2
passed=0 failed=0

# What the files of a part may include, as a regular expression on the path.
allowed () {
  case $1 in
  src/engine/*)  echo '^src/engine/' ;;
  src/fit/*)     echo '^src/(fit|engine)/' ;;
  model/*)       echo '^(model|src/engine)/' ;;
  src/input/*)   echo '^(src/input|model|src/engine)/' ;;
  src/output/*)  echo '^(src/output|model|src/engine)/|^src/version\.h$' ;;
  src/command/*) echo '^(src/command|src/output|src/input|src/fit|model|src/engine)/|^src/version\.h$' ;;
  src/main.c)    echo '^src/command/' ;;
  src/version.*) echo '^src/(version|git-id)\.h$' ;;
  tests/*)       echo '^(tests|src|model)/' ;;
  *)             echo '^$' ;;
  esac
}

for file in $(find src model tests -name '*.[chS]' | sort); do
  wrong=$(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file" |
    grep -Ev "$(allowed "$file")")
  if [ -n "$wrong" ]; then
    echo "FAIL: $file includes" $wrong
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done
# The model is silent: it neither prints nor opens traces.
printing='\b(printf|puts|fputs|putchar|g_print|g_printerr|fprintf)[[:space:]]*\('
for file in $(grep -lE "$printing" $(find model src/engine src/fit src/input -name '*.[ch]')); do
  echo "FAIL: $file prints"
  failed=$((failed + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
