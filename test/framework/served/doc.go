// SPDX-License-Identifier: Apache-2.0

// Package served gives the API as the server serves it, on a store in which nothing is: for tools that describe the API and
// for checks of manifests that need no cluster.
package served
