// SPDX-License-Identifier: Apache-2.0

// Package uninstall implements the command prepare-uninstall of roadstead-controller: it removes
// the parts of an installation that must be removed in a certain order. After that, the rest can be
// deleted in any order (with Helm or kubectl) without leaving objects that block others: no
// APIService without a backend, no webhook without a server, no finalizer that no controller
// removes.
//
// A pure function (decide.go) decides what to do from what was found (survey.go). Each step is
// idempotent, so a run continues where an interrupted one stopped.
package uninstall
