// SPDX-License-Identifier: Apache-2.0

// Package cluster runs a real Kubernetes control plane on loopback, without a container engine:
// etcd, kube-apiserver, kube-controller-manager, kube-scheduler, and kwok in place of kubelets.
// Tests and the demo use it. hack/tools builds the programs.
package cluster
