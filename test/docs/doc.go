// SPDX-License-Identifier: Apache-2.0

// Package docs checks the documentation: links lead somewhere, also those that the programs print, every page is in an index,
// every rule of CRD compatibility has an anchor, every reason and every field is explained, tests that are named exist, every
// threat has one, every alert has a runbook, every command block is run or says why not, manifests are valid, and are found, so
// that the cluster can judge them too.
package docs
