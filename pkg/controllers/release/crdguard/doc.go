// SPDX-License-Identifier: Apache-2.0

// Package crdguard finds changes of the cluster's CustomResourceDefinitions that the guard would have refused, had it been
// asked: it was not installed, did not answer in time, or is told to fail open. It keeps what it saw last of each definition in
// a CRDSnapshot.
package crdguard
