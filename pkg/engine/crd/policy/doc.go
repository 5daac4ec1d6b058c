// SPDX-License-Identifier: Apache-2.0

// Package policy decides about changes of CustomResourceDefinitions.
//
// A Guard answers the admission reviews of an API server: a change or a deletion is allowed, allowed with warnings, or refused
// with what breaks and with the command that allows exactly this change.
//
// FindBaseline, Comparison and Decide are the same for definitions that are rolled out as versions of an operator: what a new
// definition follows, what it breaks, and whether it passes, waits for an approval or is refused.
//
// The package knows neither HTTP nor a cluster: what it needs of one is in the interfaces of Options.
package policy
