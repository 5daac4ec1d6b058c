// SPDX-License-Identifier: Apache-2.0

// Command gendocs writes docs/configuration.md from the flags of all programs, and docs/crd-rules from the table of rules
// in pkg/crdcompat, and copies alerts and dashboard into the Helm chart: "go run ./hack/gendocs". A test fails when a committed
// page or copy is stale, missing or left over.
package main
