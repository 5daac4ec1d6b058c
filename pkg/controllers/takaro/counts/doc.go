// SPDX-License-Identifier: Apache-2.0

// Package counts contains the metrics that the controllers of all Takaro kinds share.
package counts
