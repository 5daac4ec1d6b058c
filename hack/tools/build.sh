#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the programs of the test cluster, Helm, or the linter, once per version, into
# $ROADSTEAD_TOOLS (default: the user's cache folder).
#
#   build.sh                     etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, kwok
#   build.sh helm                helm
#   build.sh lint                golangci-lint
#   build.sh --print-dir [what]  prints the folder, builds nothing
#
# A folder gets its final name only when all of it is built, so one that was interrupted is never
# taken for a finished one, and a second run finds it immediately.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$here/versions.env"
root="${ROADSTEAD_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/roadstead/tools}"
# Tests call this from their own folders: a relative name must mean the same to all of them.
[[ "$root" == /* ]] || root="$(cd "$here/../.." && pwd)/$root"
export GOWORK=off

say() { echo "hack/tools: $*" >&2; }

# The version that hack/tools/go.mod requires of module $1.
required() {
  awk -v module="$1" '$1 == "require" { sub(/^require /, "") } $1 == module && $2 ~ /^v/ { print $2; exit }' "$here/go.mod"
}

kubernetes="$(required k8s.io/kubernetes)"
etcd="$(required go.etcd.io/etcd/server/v3)"
# One call instead of two: `go env` is most of the time of a run that has nothing to do.
read -r -d '' goos goarch goversion < <(go env GOOS GOARCH GOVERSION) || true
if [[ -z "$kubernetes" || -z "$etcd" || -z "$goversion" ]]; then
  say "cannot tell the versions: is go on the PATH, and does $here/go.mod require k8s.io/kubernetes and etcd?"
  exit 1
fi

# build_go DIR NAME PACKAGE NOTE: one program of this module.
build_go() {
  local started=$SECONDS bare="${kubernetes#v}" stamp=k8s.io/component-base/version
  local major="${bare%%.*}" rest="${bare#*.}"
  say "building $2 ($4)"
  (cd "$here" && go build -o "$1/$2" -ldflags \
    "-s -w -X $stamp.gitVersion=$kubernetes -X $stamp.gitMajor=$major -X $stamp.gitMinor=${rest%%.*}" "$3")
  say "built $2 in $((SECONDS - started)) s"
}

# install_go DIR NAME PACKAGE@VERSION NOTE: one program whose module does not go together with this one's.
install_go() {
  local started=$SECONDS
  say "building $2 ($4)"
  (cd / && GOBIN="$1" go install -ldflags "-s -w" "$3")
  say "built $2 in $((SECONDS - started)) s"
}

build_cluster() {
  build_go "$1" etcd go.etcd.io/etcd/server/v3 "first time: about 1 minute on 2 cores"
  build_go "$1" kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver "first time: about 6 minutes on 2 cores"
  build_go "$1" kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager "first time: about 2 minutes on 2 cores"
  build_go "$1" kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler "first time: about 30 seconds on 2 cores"
  build_go "$1" kubectl k8s.io/kubernetes/cmd/kubectl "first time: about 1 minute on 2 cores"
  install_go "$1" kwok "sigs.k8s.io/kwok/cmd/kwok@$KWOK_VERSION" "first time: about 2 minutes on 2 cores"
  local module
  module="$(cd / && go mod download -json "sigs.k8s.io/kwok@$KWOK_VERSION" | awk -F'"' '$2 == "Dir" { print $4 }')"
  mkdir "$1/stages"
  local stage
  for stage in pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete \
    node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease; do
    install -m 0644 "$module/kustomize/stage/$stage.yaml" "$1/stages/"
  done
}

# Helm reads its version from -X; without it, the version is v4.0, which charts are then checked against.
build_helm() {
  local started=$SECONDS stamp=helm.sh/helm/v4/internal/version
  say "building helm (first time: about 1 minute on 2 cores)"
  (cd / && GOBIN="$1" go install -ldflags "-s -w -X $stamp.version=$HELM_VERSION" "helm.sh/helm/v4/cmd/helm@$HELM_VERSION")
  say "built helm in $((SECONDS - started)) s"
}

build_lint() {
  install_go "$1" golangci-lint "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$GOLANGCI_LINT_VERSION" \
    "first time: about 3 minutes on 2 cores"
}

what=cluster
print=false
for argument in "$@"; do
  case "$argument" in
    --print-dir) print=true ;;
    helm | lint) what="$argument" ;;
    *) say "unknown argument '$argument': use nothing, helm, lint or --print-dir"; exit 2 ;;
  esac
done

case "$what" in
  cluster) key="kubernetes-${kubernetes}_etcd-${etcd}_kwok-${KWOK_VERSION}_${goos}-${goarch}" ;;
  helm) key="helm-${HELM_VERSION}_${goos}-${goarch}" ;;
  # A linter refuses code of a newer Go than the one that built it.
  lint) key="golangci-lint-${GOLANGCI_LINT_VERSION}_${goversion}_${goos}-${goarch}" ;;
esac
dir="$root/$key"

if $print; then echo "$dir"; exit 0; fi
if [[ -f "$dir/.complete" ]]; then exit 0; fi

mkdir -p "$root"
exec 9>"$root/.$key.lock"
if command -v flock >/dev/null; then
  if ! flock -n 9; then
    say "another build of $what is running, waiting for it"
    flock 9
  fi
  if [[ -f "$dir/.complete" ]]; then exit 0; fi
  # Left by a build that was killed: under the lock nobody else can be at work in it.
  rm -rf "$root/.$key.building."*
fi

work="$(mktemp -d "$root/.$key.building.XXXXXX")"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
"build_$what" "$work"
date -u +%Y-%m-%dT%H:%M:%SZ >"$work/.complete"
chmod 0755 "$work"
rm -rf "$dir"
mv -T "$work" "$dir"
say "ready: $dir"
