// SPDX-License-Identifier: Apache-2.0

package etcd

import "time"

const (
	// slowestRewrite is how many bytes a second a slow disk takes while the file of the store is rewritten.
	slowestRewrite = 20 << 20
	// LongestStart bounds Start. A file with free space is rewritten before the member starts (defragThreshold), and
	// startTimeout does not include that.
	LongestStart = startTimeout + quotaBytes/slowestRewrite*time.Second
)
