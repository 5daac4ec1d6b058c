// SPDX-License-Identifier: Apache-2.0

// Package clusternet stands in for the network of a test cluster: by it a real kube-apiserver reaches Services, pods and
// nodes, whose addresses lead nowhere on the machine of the tests. kube-apiserver asks for each connection by HTTP CONNECT, as
// it asks a Konnectivity server (KEP-1281); the network chooses a ready endpoint as kube-proxy does, and dials the loopback
// address that stands for the pod.
package clusternet
