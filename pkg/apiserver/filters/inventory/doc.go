// SPDX-License-Identifier: Apache-2.0

// Package inventory serves the inventory of the store (storeidentity.InventoryPath). It is a filter
// before the gate and not a resource of the registry: it must respond while the store is refused,
// from etcd itself. As a discovered resource it would be requested by every client that lists all
// resources.
package inventory
