#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs every fuzz target for FUZZTIME (60s). Arguments are packages; without any, all that have targets. A failing input is
# left below testdata/fuzz of its package: commit it with the correction, so that the unit tests run it from then on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=("$@")
if ((${#packages[@]} == 0)); then
  mapfile -t packages < <(grep -rlE '^func Fuzz' --include='*_test.go' pkg | xargs -n 1 dirname | sort -u | sed 's|^|./|')
fi
for package in "${packages[@]}"; do
  # A target that is listed and cannot be run, or none at all, is an error.
  targets=$(go test -list '^Fuzz' "$package" | grep '^Fuzz')
  for target in $targets; do
    echo "== $package $target"
    # Minimizing a new input is not worth the minute that it may take by default.
    go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-60s}" -fuzzminimizetime 100x "$package"
  done
done
