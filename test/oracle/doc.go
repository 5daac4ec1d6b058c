// SPDX-License-Identifier: Apache-2.0

// Package oracle compares the results of pkg/engine/crd for changes of a CRD with those of other
// tools: crdify, with its strict configuration and with that of OLM, and crd-schema-checker. It is
// a separate module, so that their dependencies are not among the product's.
//
// Each error of crdify must be covered by a breaking finding, or be listed as a false positive with
// a reason. This ensures that pkg/engine/crd does not miss what crdify reports.
package oracle
