// SPDX-License-Identifier: Apache-2.0

// Command gendocs writes docs/configuration.md from the flags of both programs: "go run ./hack/gendocs". A test fails when
// the committed page is stale.
package main
