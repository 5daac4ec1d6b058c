// SPDX-License-Identifier: Apache-2.0

// Package clusternet simulates the network of a test cluster. Through it a real kube-apiserver
// reaches Services, pods and nodes, whose addresses are not routable on the machine of the tests.
// kube-apiserver requests each connection by HTTP CONNECT, as it does with a Konnectivity server
// (KEP-1281). The network chooses a ready endpoint as kube-proxy does, and connects to the loopback
// address that stands for the pod.
package clusternet
