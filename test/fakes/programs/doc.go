// SPDX-License-Identifier: Apache-2.0

// Package programs runs the real programs of Roadstead in place of their containers. Its behaviors
// for the pod player start the binaries of a directory as an image would, with what kubelet
// provides to a container: arguments, variables, volumes, ServiceAccount token, address, probes and
// termination. It differs from a kubelet in three ways: paths of volumes are directories of this
// machine, the programs reach the cluster by a kubeconfig instead of the fixed path of the token,
// and loopback replaces the network of the cluster.
package programs
