// SPDX-License-Identifier: Apache-2.0

// Command gendocs writes docs/configuration.md from the flags of all programs, docs/rules from the table of rules in
// pkg/engine/crd/rules, docs/reference from the types of the API, docs/helm-chart.md from the values of the Helm chart, and of the chart
// those templates that have manifests of artifacts/deploy as they are, and the copies of alerts and dashboard: "go run
// ./hack/gendocs". A test fails when a committed file is stale, missing or left over.
package main
