// SPDX-License-Identifier: Apache-2.0

// Package bundle reads sets of CustomResourceDefinitions: files, folders, standard input, and Helm charts, of which it takes
// what Helm would bring into a cluster: the crds folders and what the templates render. It needs no network.
package bundle
