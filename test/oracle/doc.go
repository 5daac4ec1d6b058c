// SPDX-License-Identifier: Apache-2.0

// Package oracle holds what pkg/engine/crd says of a change of a definition against what other tools say of it: crdify, strict and
// as OLM configures it, and crd-schema-checker. It is a module of its own, so that their dependencies stay out of the
// product's.
//
// Each error of crdify is covered by a finding that breaks, or it is one of the false positives that are listed with their
// reason. So nothing that crdify sees can be missed unseen.
package oracle
