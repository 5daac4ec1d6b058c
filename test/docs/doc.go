// SPDX-License-Identifier: Apache-2.0

// Package docs checks the documentation: links resolve, every page is in an index,
// every rule of the CRD check has an anchor, every reason and
// every field is explained, named tests exist, every threat names a test, every alert has a
// runbook, every command block is run or states why not, and manifests are valid and can be found,
// so that they can also be tested in a cluster.
package docs
