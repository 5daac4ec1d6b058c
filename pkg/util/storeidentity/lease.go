// SPDX-License-Identifier: Apache-2.0

package storeidentity

import "time"

// LeaseName is the Lease in the installation's namespace that servers renew while they use a store. Its holder names the
// store: <store id>.<epoch>.<etcd cluster id>, or <host>:<data folder> for an embedded one.
const LeaseName = "roadstead-store"

const (
	// LeaseDuration is how long a Lease that is not renewed is respected.
	LeaseDuration = 40 * time.Second
	// RenewInterval is the time between two renewals.
	RenewInterval = 10 * time.Second
)
