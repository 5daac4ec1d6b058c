#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints the packages with unit tests. "race": those with goroutines of their own, for the race detector, which costs
# minutes on the large dependency tree of the API server; "plain": all others, and those whose tests kill a controller at
# every call, which run with -short in the race detector.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

race='^roadstead.dev/roadstead/(pkg/(admission/.*|apiserver/(filters/(bodylimit|gate)|trust/(authorization|servingcert))|cli/kubectl|controllers/.*|engine/(anchor|fair|helm/.*|netguard|ownership|sandbox|takaro)|uninstall|util/keeper)|test/fakes/.*)$'
packages=$(go list ./cmd/... ./pkg/... ./hack/... ./test/... | grep -v /pkg/generated/)
case "${1:?race or plain}" in
  race) grep -E "$race" <<<"$packages" ;;
  plain)
    grep -vE "$race" <<<"$packages"
    git grep -lE 'AtEveryCall|KillEvery' -- 'pkg/*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|roadstead.dev/roadstead/|'
    ;;
  *) echo "usage: $0 race|plain" >&2; exit 2 ;;
esac
