// SPDX-License-Identifier: Apache-2.0

// Package served provides the API as the server serves it, on an empty store, for tools that
// describe the API and for checks of manifests that need no cluster.
package served
