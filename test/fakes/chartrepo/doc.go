// SPDX-License-Identifier: Apache-2.0

// Package chartrepo serves Helm charts for tests: an HTTPS repository with a real index and
// archives that are packed at run time, and a real OCI registry. Both record their requests and
// support injected faults.
package chartrepo
