// SPDX-License-Identifier: Apache-2.0

// Package rules holds the table of what a change of a CustomResourceDefinition can break, and the findings that refer to it.
//
// All lists every rule, with the effects that were measured against k8s.io/apiextensions-apiserver. A Finding carries the
// code of its rule (CRD-101) and a Verdict; a Report holds the findings of a change, worst first.
package rules
