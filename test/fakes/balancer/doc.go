// SPDX-License-Identifier: Apache-2.0

// Package balancer stands for a Kubernetes Service of type ClusterIP: it passes each TCP connection to one of the ready
// backends and leaves it there for as long as it lives, as kube-proxy does. It can drop the packets of a backend without
// a word, and counts connections.
package balancer
