// SPDX-License-Identifier: Apache-2.0

// Command gendocs generates docs/configuration.md from the flags of all programs, docs/rules
// from the table of rules in pkg/engine/crd/rules, docs/reference from the types of the API,
// docs/helm-chart.md from the values of the Helm chart, the templates of the chart that contain
// manifests of artifacts/deploy unchanged, and the copies of alerts and dashboard: "go run
// ./hack/gendocs". A test fails if a committed file is stale, missing or left over.
package main
