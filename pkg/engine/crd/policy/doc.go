// SPDX-License-Identifier: Apache-2.0

// Package policy decides about changes of CustomResourceDefinitions.
//
// A Guard answers the admission reviews of an API server: a change or a deletion is allowed, allowed with
// warnings, or rejected with the breaking findings and with the command that allows exactly this change.
//
// FindBaseline, Comparison and Decide do the same for CRDs that are rolled out as versions of an operator:
// they determine which CRD a new one follows, what it breaks, and whether it is accepted, waits for an
// approval or is rejected.
//
// The package uses neither HTTP nor a cluster: the interfaces of Options provide what it needs.
package policy
