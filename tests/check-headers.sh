#!/bin/sh
# Every header compiles alone.  Last line: "N passed, N failed".
# Environment: top_srcdir, top_builddir, CC, HEADER_FLAGS (the flags of the build).
set -u
cd "${top_srcdir:-.}" || exit 2
passed=0 failed=0
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

for header in $(find src model tests -name '*.h' | sort); do
  # Twice: it must also guard itself.
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$scratch/alone.c"
  if ${CC:-cc} ${HEADER_FLAGS:-} -I. -I"${top_builddir:-.}" -Wall -Wextra -Wno-unused-parameter -Werror -fsyntax-only \
    "$scratch/alone.c" 2>"$scratch/errors"; then
    passed=$((passed + 1))
  else
    echo "FAIL: $header"
    head -n 10 "$scratch/errors"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
