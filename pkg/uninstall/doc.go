// SPDX-License-Identifier: Apache-2.0

// Package uninstall is the command prepare-uninstall of roadstead-controller: it takes an installation out of a cluster as
// far as that has an order. After it whatever deletes the rest (Helm, kubectl) leaves nothing behind that blocks others: no
// APIService that leads nowhere, no webhook without a server, no finalizer that nobody takes off.
//
// What is to be done is decided purely (decide.go) from what was found (survey.go). Each step can be done again, so a run
// that was interrupted is continued by the next one.
package uninstall
