// SPDX-License-Identifier: Apache-2.0

// Package counts has the metrics that the controllers of all Takaro kinds share.
package counts
