// SPDX-License-Identifier: Apache-2.0

// Package balancer simulates a Kubernetes Service of type ClusterIP: it passes each TCP connection
// to one of the ready backends for the lifetime of the connection, as kube-proxy does. It can drop
// the packets of a backend silently, and it counts connections.
package balancer
