#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Finds the tests below folders that only the build tag "integration" compiles, to run them without the unit tests of their
# packages: integration-tests.sh pattern|packages FOLDER... prints their names as a pattern (go test -run), or their packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

what=${1:?pattern or packages}
shift
files=$(grep -rl --include='*_test.go' '^//go:build integration$' "${@:?folders}")
# shellcheck disable=SC2086 # Names of files without spaces.
case $what in
  pattern)
    tests=$(grep -hoE '^func Test[A-Za-z0-9_]+' $files | sed 's/^func //' | grep -v '^TestMain$' | sort -u | paste -sd '|')
    echo "^($tests)\$"
    ;;
  packages) dirname $files | sort -u | sed 's|^|./|' ;;
  *) echo "usage: $0 pattern|packages FOLDER..." >&2; exit 2 ;;
esac
