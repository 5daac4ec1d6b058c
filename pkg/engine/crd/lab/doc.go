// SPDX-License-Identifier: Apache-2.0

// Package lab tests pkg/engine/crd against the API server: random changes of random schemas, and random objects
// that were valid before. Whatever the server's own code does to such an object, the comparison of the two definitions
// must have warned of.
package lab
