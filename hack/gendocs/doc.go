// SPDX-License-Identifier: Apache-2.0

// Command gendocs writes docs/configuration.md from the flags of all programs, and docs/crd-rules from the table of rules
// in pkg/crdcompat: "go run ./hack/gendocs". A test fails when a committed page is stale, missing or left over.
package main
