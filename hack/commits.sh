#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks the commits since the date on which the rules of CONTRIBUTING.md were written down: a subject "area: imperative"
# of at most 72 characters, and a sign-off.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

since=2026-12-01T06:20:00Z
git rev-parse --git-dir >/dev/null 2>&1 || { echo "no Git checkout: no commits to check"; exit 0; }
failed=0
while IFS=$'\x1f' read -r hash subject signed; do
  [ -n "$hash" ] || continue
  problem=
  [[ $subject =~ ^[a-z0-9][a-zA-Z0-9/,._\ -]*:\ [^\ ] ]] || problem='the subject must be "area: imperative"'
  ((${#subject} <= 72)) || problem="the subject has ${#subject} characters, at most 72 are allowed"
  [ -n "$signed" ] || problem="Signed-off-by is missing (git commit -s)"
  [ -z "$problem" ] || { echo "commit $hash \"$subject\": $problem" >&2; failed=1; }
done < <(git log --no-merges --since="$since" --format='%h%x1f%s%x1f%(trailers:key=Signed-off-by,valueonly,separator=%x2C)')
exit $failed
