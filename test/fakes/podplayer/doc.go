// SPDX-License-Identifier: Apache-2.0

// Package podplayer plays one node of a test cluster: it runs a Go function for each container of
// the pods bound to that node and writes their status as a kubelet would. Tests can so use running
// pods without containers.
package podplayer
