// SPDX-License-Identifier: Apache-2.0

// Package rules contains the table of incompatible changes of CustomResourceDefinitions, and the findings that refer to it.
//
// All lists every rule, with the effects that were measured against k8s.io/apiextensions-apiserver. A Finding has the code of
// its rule, such as CRD-101, and a Verdict. A Report has the findings of a change, in descending order of severity.
package rules
