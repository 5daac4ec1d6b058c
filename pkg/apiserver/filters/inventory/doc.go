// SPDX-License-Identifier: Apache-2.0

// Package inventory serves the inventory of the store (storeidentity.InventoryPath). It is a filter in front of the gate and
// not a resource of the registry: it must answer while the store is refused, from etcd itself, and discovery would make every
// client that lists all resources request it.
package inventory
