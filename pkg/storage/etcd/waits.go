// SPDX-License-Identifier: Apache-2.0

package etcd

import "time"

const (
	// slowestRewrite is the speed, in bytes per second, at which a slow disk rewrites the file of
	// the store.
	slowestRewrite = 20 << 20
	// LongestStart is the maximum duration of Start. A file with free space is rewritten before the
	// member starts (defragThreshold), which startTimeout does not include.
	LongestStart = startTimeout + quotaBytes/slowestRewrite*time.Second
)
