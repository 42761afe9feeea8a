#!/bin/sh
# Man reads every manual page without a warning.  77 (skipped) without scdoc or man.
# Last line: "N passed, N failed".  Environment: top_srcdir, top_builddir.
set -u
pages=${top_builddir:-.}/doc/man
passed=0 failed=0

command -v man >/dev/null || { echo "skipped: man is not installed"; exit 77; }
ls "$pages"/*.[157] >/dev/null 2>&1 || { echo "skipped: no pages were built (scdoc is not installed)"; exit 77; }
# Some containers have a man that does nothing.
man --version 2>/dev/null | grep -q '^man ' || { echo "skipped: man here shows no pages"; exit 77; }

for page in "$pages"/*.[157]; do
  warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
  if [ -n "$warnings" ]; then
    echo "FAIL: $page: $warnings"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
