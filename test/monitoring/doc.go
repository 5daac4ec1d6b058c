// SPDX-License-Identifier: Apache-2.0

// Package monitoring tests the shipped alerts and the dashboard with Prometheus's own engine: that each alert fires on what it is
// for and is silent otherwise, and that what they ask for is what the running programs show. It is a module of its own, so that
// Prometheus stays out of the product's dependencies.
package monitoring
