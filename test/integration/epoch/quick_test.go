// SPDX-License-Identifier: Apache-2.0

//go:build integration && !slow

package epoch

// replicaCounts are the numbers of API servers for which stores are replaced.
var replicaCounts = []int{2}
