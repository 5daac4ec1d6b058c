#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints the pattern (go test -run) of the tests below folders that only the build tag "integration" compiles, to run them
# without the unit tests of their packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=$(grep -rl --include='*_test.go' '^//go:build integration$' "${@:?folders}")
# shellcheck disable=SC2086 # Names of files without spaces.
tests=$(grep -hoE '^func Test[A-Za-z0-9_]+' $files | sed 's/^func //' | grep -v '^TestMain$' | sort -u | paste -sd '|')
echo "^($tests)\$"
