# SPDX-License-Identifier: Apache-2.0
#
# "make help" lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Without a tag the version still starts with v and three numbers: component-base parses it.
VERSION ?= $(shell git describe --tags --match 'v*' --dirty 2>/dev/null || echo v0.1.0-$$(git describe --always --dirty 2>/dev/null || echo dev))
# The version is stamped where every Kubernetes program reads it.
LDFLAGS := -s -w -X k8s.io/component-base/version.gitVersion=$(VERSION) -X k8s.io/component-base/version.gitCommit=$(shell git rev-parse HEAD 2>/dev/null)
# Two cores and 24 GiB are enough for everything here.
GOFLAGS_BUILD := -p 2
# Without the path of the checkout in its keys, the build cache serves every clone on a machine.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/roadstead-apiserver, -controller and -crdcheck, and bin/kubectl-roadstead with its completion.
	go build $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o bin/roadstead-apiserver ./cmd/apiserver
	go build $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o bin/roadstead-controller ./cmd/controller
	go build $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o bin/roadstead-crdcheck ./cmd/crdcheck
	go build $(GOFLAGS_BUILD) -ldflags "$(LDFLAGS)" -o bin/kubectl-roadstead ./cmd/kubectl-roadstead
	install -m 0755 cmd/kubectl-roadstead/kubectl_complete-roadstead bin/

# Images have the date of the source, so that the same source builds the same images.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

.PHONY: images
images: ## Write OCI layouts of all programs for amd64 and arm64 to out/images; PUSH=registry.example.com/team pushes them.
	@SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) go run ./hack/images --version "$(VERSION)" --ldflags "$(LDFLAGS)" \
		--revision "$$(git rev-parse HEAD 2>/dev/null)" $(if $(PUSH),--push "$(PUSH)")

.PHONY: tools
tools: ## Build the real control plane for tests and demo into a cache folder (first time: about 15 minutes).
	@hack/tools/build.sh
	@hack/tools/build.sh helm
	@hack/tools/redis.sh
	@echo "The tools for tests and demo are ready."

.PHONY: cluster-up
cluster-up: tools ## Start a real cluster on loopback; .cluster/kubeconfig reaches it.
	@go run ./test/framework/cmd/cluster up --dir .cluster

.PHONY: cluster-down
cluster-down: ## End the cluster that cluster-up started.
	@go run ./test/framework/cmd/cluster down --dir .cluster

.PHONY: demo
demo: tools build ## Show the main job on this machine; with ONCE=1 it ends by itself.
	@go run ./hack/demo $(if $(ONCE),--once)

# "make verify" vets everything. These binaries are not debugged, and without DWARF they are linked faster. hack/verify.sh
# uses the same flags: "make test" then finds those results in the test cache.
GOFLAGS_TEST := -vet=off -ldflags=-w

# What "make test" and .ci/run run, in this order.
TESTS := test-unit test-oracle test-monitoring test-gitops test-integration

.PHONY: test
test: $(TESTS) ## Run every test but the slow ones.

.PHONY: list-tests
list-tests: ## Print the targets that "make test" runs.
	@echo $(TESTS)

.PHONY: test-unit
test-unit: test-unit-race test-unit-plain ## Run the tests that need no cluster.

.PHONY: test-unit-race test-unit-plain
test-unit-race test-unit-plain: test-unit-%:
	@hack/tools/redis.sh
	@# A variable, because a command within the command could fail unseen.
	packages=$$(hack/unit-packages.sh $*); go test $(GOFLAGS_BUILD) $(GOFLAGS_TEST) $(if $(filter race,$*),-race -short) $$packages

.PHONY: test-oracle
test-oracle: ## Compare the CRD check with other tools, which a module of its own requires.
	cd test/oracle && go test $(GOFLAGS_BUILD) $(GOFLAGS_TEST) ./...

.PHONY: test-monitoring
test-monitoring: ## Test alerts and dashboard with Prometheus's engine, which a module of its own requires.
	cd test/monitoring && go test $(GOFLAGS_BUILD) $(GOFLAGS_TEST) ./...

.PHONY: test-gitops
test-gitops: ## Test the health checks for Argo CD, Flux and Helm with their evaluators, which a module of its own requires.
	cd test/gitops && go test $(GOFLAGS_BUILD) $(GOFLAGS_TEST) ./...

.PHONY: test-integration
test-integration: test-integration-suites test-integration-framework test-integration-monitoring test-integration-complaints ## Run the tests against the real control plane.

# The suites that take longest begin first, so that none of them runs alone at the end.
LONGEST := domain images environments epoch docs store mockservers operators

# They wait more than they compute, so three run at a time on two cores.
.PHONY: test-integration-suites
test-integration-suites: tools build
	packages=$$(go list -tags integration ./test/integration/... | grep -v /complaints$$); \
	go test -p 3 $(GOFLAGS_TEST) -tags integration -count=1 -timeout 20m $(LONGEST:%=./test/integration/%) $$packages

# Of these packages only what needs a cluster: test-unit runs the rest.
.PHONY: test-integration-framework
test-integration-framework: tools build
	tests=$$(hack/integration-tests.sh pattern test/fakes test/framework); \
	packages=$$(hack/integration-tests.sh packages test/fakes test/framework); \
	go test -p 2 $(GOFLAGS_TEST) -tags integration -count=1 -timeout 20m -run "$$tests" $$packages

.PHONY: test-integration-monitoring
test-integration-monitoring: tools build
	tests=$$(hack/integration-tests.sh pattern test/monitoring); \
	cd test/monitoring && go test $(GOFLAGS_BUILD) $(GOFLAGS_TEST) -tags integration -count=1 -timeout 20m -run "$$tests" ./...

# It compares times, so nothing may run at the same time.
.PHONY: test-integration-complaints
test-integration-complaints: tools build
	go test $(GOFLAGS_TEST) -tags integration -count=1 -timeout 20m ./test/integration/complaints

.PHONY: test-npm
test-npm: ## Run the official npm client against the stand-in for Takaro.
	test/fakes/takaro/npm/run.sh

.PHONY: bench-crdguard
bench-crdguard: tools build ## Take the time that the CRD guard adds to a change of a CRD.
	go test -tags integration -count=1 -run '^$$' -bench AllowedChange -benchtime 200x -timeout 20m ./test/integration/crdguard

.PHONY: bench
bench: tools build ## Compare with CRDs side by side; BENCH=short in less than three minutes, BENCH=get,list some measures.
	@# A program of its own, not "go run": the webhook is the same program in another process, and gets its signals.
	go build $(GOFLAGS_BUILD) -o bin/bench ./test/bench
	BENCH="$(BENCH)" bin/bench

.PHONY: test-slow
test-slow: tools build ## Run the long tests, which are in packages of their own.
	go test -p 1 -tags 'integration slow' -count=1 -v -timeout 60m \
		$$(grep -rlE '^//go:build .*\bslow\b' --include='*_test.go' --exclude-dir=oracle --exclude-dir=monitoring hack test | xargs -n1 dirname | sort -u | sed 's|^|./|')
	cd test/oracle && go test -p 1 -tags slow -count=1 -v -timeout 60m ./...
	hack/fuzz.sh

# A run without a seed takes one from the clock, and prints it.
CHAOS_SEED ?= 0
CHAOS_TIME ?= 10m

.PHONY: chaos
chaos: tools build ## Inject faults into a complete installation for CHAOS_TIME (10m) and check invariants; CHAOS_SEED=... repeats a plan.
	@hack/tools/redis.sh
	go run ./test/chaos/cmd/chaos --seed=$(CHAOS_SEED) --time=$(CHAOS_TIME)

.PHONY: chaos-selftest
chaos-selftest: tools build ## Show that chaos runs and tests find defects: build broken programs and run each for a minute.
	@hack/tools/redis.sh
	go test -tags chaos -count=1 -v -timeout 60m -run 'TestEvery(Tested)?DefectIsFound' ./test/chaos/broken/

.PHONY: generate
generate: ## Write all generated code and docs (needs protoc).
	hack/update-codegen.sh
	go run ./hack/gendocs

# The version whose stored form "make golden-store" writes. It rises with the first change after a release.
GOLDEN_STORE ?= v0.1.0

.PHONY: golden-store
golden-store: ## Write the golden files of what etcd holds, below testdata/store.
	UPDATE_GOLDEN_STORE=$(GOLDEN_STORE) go test -count=1 -run '^TestGoldenStore$$' ./pkg/apiserver/options/

.PHONY: verify
verify: ## Check generated code, format, vet, lint, boundaries, docs.
	hack/verify.sh

.PHONY: clean
clean: ## Remove what was built here; the tools' cache stays.
	rm -rf bin out .demo
