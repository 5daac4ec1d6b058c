#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks everything that needs no running cluster: module files, format, generated code, vet, lint and import
# boundaries, flag list, storage paths and wire golden files, manifests, chart, docs. Runs all checks, then fails if one failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=()

# check NAME COMMAND...: runs one check and times it.
check() {
  local name=$1 started=$SECONDS
  shift
  if "$@"; then
    echo "verify: ok      $name ($((SECONDS - started)) s)"
  else
    echo "verify: FAILED  $name ($((SECONDS - started)) s)" >&2
    failed+=("$name")
  fi
}

# The nested modules: their dependencies stay out of the product's.
modules() {
  local module
  for module in . hack/tools test/gitops test/oracle test/monitoring; do (cd "$module" && go mod tidy -diff) || return 1; done
}

# sources PATTERN...: the files that are not ignored and that exist.
sources() { git ls-files -co --exclude-standard -- "$@" | while read -r file; do if [ -e "$file" ]; then echo "$file"; fi; done; }

format() {
  local files
  files=$(sources '*.go' | xargs gofmt -s -l) || return 1
  [ -z "$files" ] || { echo "not formatted (gofmt -s -w): $files" >&2; return 1; }
}

# Generates into a copy, so that a stale file is shown and not silently corrected.
codegen() {
  local copy
  copy=$(mktemp -d) || return 1
  sources | tar -cf - -T - | tar -xf - -C "$copy" || return 1
  (cd "$copy" && hack/update-codegen.sh) >"$copy.log" 2>&1 || { tail -20 "$copy.log" >&2; rm -rf "$copy" "$copy.log"; return 1; }
  local result=0
  diff -r -u "pkg/apis" "$copy/pkg/apis" >&2 || result=1
  diff -r -u "pkg/generated" "$copy/pkg/generated" >&2 || result=1
  diff -u hack/api-violations.txt "$copy/hack/api-violations.txt" >&2 || result=1
  rm -rf "$copy" "$copy.log"
  [ $result = 0 ] || echo "generated code is stale: run make generate and commit the result" >&2
  return $result
}

vet() {
  go vet ./... && go vet -tags 'integration slow chaos' ./hack/... ./test/... && (cd test/oracle && go vet -tags slow ./...) &&
    (cd test/monitoring && go vet -tags integration ./...) && (cd test/gitops && go vet ./...)
}

lint() {
  hack/tools/build.sh lint || return 1
  local linter
  linter="$(hack/tools/build.sh --print-dir lint)/golangci-lint"
  "$linter" run ./... && (cd test/oracle && "$linter" run ./...) && (cd test/monitoring && "$linter" run ./...) &&
    (cd test/gitops && "$linter" run ./...)
}

# go_test PACKAGE...: with the flags of "make test-unit-plain", which finds the results in the test cache.
go_test() { go test -p 2 -vet=off -ldflags=-w "$@"; }

# What a change must not alter unseen: flags, plugins, storage paths, bytes on the wire and in the store.
pinned() { go_test ./pkg/apiserver/... ./pkg/admission/... ./pkg/apis/...; }

# The chart, with each file of values that stands for a kustomize folder. That the objects are the same is tested.
chart() {
  hack/tools/build.sh helm || return 1
  local helm file report result=0
  helm="$(hack/tools/build.sh --print-dir helm)/helm"
  for file in artifacts/chart/roadstead/ci/*.yaml; do
    report=$("$helm" lint --strict --quiet artifacts/chart/roadstead --values "$file" 2>&1) || { echo "$file: $report" >&2; result=1; }
  done
  go_test ./test/chart/... || result=1
  return $result
}

manifests() {
  hack/tools/build.sh || return 1
  local kubectl
  kubectl="$(hack/tools/build.sh --print-dir)/kubectl"
  local folder result=0
  for folder in artifacts/deploy/*/kustomization.yaml; do
    "$kubectl" kustomize "$(dirname "$folder")" >/dev/null || result=1
  done
  return $result
}

docs() { go_test ./test/docs/... ./hack/gendocs/...; }

scripts() {
  local file result=0
  while read -r file; do bash -n "$file" || result=1; done < <(sources '*.sh' .ci/run)
  return $result
}

check modules modules
check format format
check scripts scripts
check commits hack/commits.sh
check wording go run ./hack/wording
check vet vet
check pinned pinned
check docs docs
check manifests manifests
check chart chart
check codegen codegen
check lint lint

if [ ${#failed[@]} -gt 0 ]; then
  echo "verify: failed: ${failed[*]}" >&2
  exit 1
fi
echo "verify: all checks passed"
