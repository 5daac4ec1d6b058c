// SPDX-License-Identifier: Apache-2.0

// Package monitoring tests the shipped alerts and the dashboard with Prometheus's engine: each
// alert fires for its condition and for no other, and the running programs expose the metrics that
// the queries use. It is a separate module, so that Prometheus is not among the product's
// dependencies.
package monitoring
