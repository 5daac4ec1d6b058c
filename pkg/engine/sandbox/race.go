// SPDX-License-Identifier: Apache-2.0

//go:build race

package sandbox

// shadowed reports that the race detector is compiled in. Its shadow memory is larger than any RLIMIT_DATA.
const shadowed = true
