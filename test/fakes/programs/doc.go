// SPDX-License-Identifier: Apache-2.0

// Package programs runs the real programs of Roadstead in the place of their containers: behaviours for the pod player, which
// start the binaries of a folder as an image would, with what kubelet gives a container: its arguments, variables, volumes,
// ServiceAccount token, address, probes and end. What is different: paths of volumes lead to folders of this machine, the
// cluster is reached by a kubeconfig instead of the fixed path of the token, and loopback stands for the cluster's network.
package programs
