#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Writes all generated code: deepcopy, defaults, conversion, declarative validation, protobuf, OpenAPI, clientset and
# apply configurations. Needs protoc (Debian package protobuf-compiler). Every tool is taken from the versions in
# go.mod and runs from the Go build cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly module=roadstead.dev/roadstead
readonly header=$PWD/hack/boilerplate.go.txt
readonly versions=(ownership/v1alpha1 release/v1alpha1 takaro/v1alpha1)

if ! command -v protoc >/dev/null; then
  echo "protoc is missing: install it (Debian: apt-get install -y protobuf-compiler)" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOBIN="$work/bin"
export PATH="$GOBIN:$PATH"

module_dir() { go list -m -f '{{.Dir}}' "$1"; }

# go-to-protobuf first: it adds the protobuf tags to the structs that all other generators read.
protobuf() {
  go install \
    k8s.io/code-generator/cmd/go-to-protobuf \
    k8s.io/code-generator/cmd/go-to-protobuf/protoc-gen-gogo \
    golang.org/x/tools/cmd/goimports
  local tree="$work/proto"
  mkdir -p "$tree/$(dirname $module)" "$tree/k8s.io" "$tree/github.com/gogo"
  ln -s "$PWD" "$tree/$module"
  ln -s "$(module_dir k8s.io/apimachinery)" "$tree/k8s.io/apimachinery"
  ln -s "$(module_dir k8s.io/api)" "$tree/k8s.io/api"
  ln -s "$(module_dir github.com/gogo/protobuf)" "$tree/github.com/gogo/protobuf"
  local packages
  packages=$(printf "$module/pkg/apis/%s," "${versions[@]}")
  go-to-protobuf \
    --go-header-file "$header" \
    --packages "${packages%,}" \
    --apimachinery-packages "-k8s.io/apimachinery/pkg/util/intstr,-k8s.io/apimachinery/pkg/api/resource,-k8s.io/apimachinery/pkg/runtime/schema,-k8s.io/apimachinery/pkg/runtime,-k8s.io/apimachinery/pkg/apis/meta/v1,-k8s.io/api/core/v1" \
    --output-dir "$tree" \
    --proto-import "$tree"
}

protobuf

# shellcheck source=/dev/null
source "$(module_dir k8s.io/code-generator)/kube_codegen.sh"

# validation-gen does not find the hand-written functions of metav1's own rules from outside that module: metav1's fields
# are marked +k8s:opaqueType in our types (strategies validate them), and the package is left out of its inputs.
openapi_readonly=("${KUBE_CODEGEN_READONLY_PKGS[@]}")
KUBE_CODEGEN_READONLY_PKGS=()
for package in "${openapi_readonly[@]}"; do
  [[ $package == */meta/v1 ]] || KUBE_CODEGEN_READONLY_PKGS+=("$package")
done
kube::codegen::gen_helpers --boilerplate "$header" pkg/apis
# Types of the cluster's API that Roadstead's types contain: part of the OpenAPI, but never generated.
readonly hosts=(k8s.io/api/core/v1 k8s.io/api/autoscaling/v1)
KUBE_CODEGEN_READONLY_PKGS=("${openapi_readonly[@]}" "${hosts[@]}")
kube::codegen::gen_openapi \
  --boilerplate "$header" \
  --output-dir pkg/generated/openapi \
  --output-pkg "$module/pkg/generated/openapi" \
  --output-model-name-file zz_generated.model_name.go \
  --extra-pkgs "${hosts[0]}" --extra-pkgs "${hosts[1]}" \
  --report-filename hack/api-violations.txt --update-report \
  pkg/apis
mkdir -p pkg/generated/applyconfiguration pkg/generated/clientset
kube::codegen::gen_client \
  --boilerplate "$header" \
  --output-dir pkg/generated \
  --output-pkg "$module/pkg/generated" \
  --with-applyconfig \
  --prefers-protobuf \
  pkg/apis
gofmt -s -w pkg/apis pkg/generated
