// SPDX-License-Identifier: Apache-2.0

// Package lab tests pkg/engine/crd against the code of the API server: random changes of random schemas,
// and random objects that were valid before. Every effect of the server's code on such an object must be
// covered by a finding of the comparison.
package lab
