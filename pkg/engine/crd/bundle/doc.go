// SPDX-License-Identifier: Apache-2.0

// Package bundle reads sets of CustomResourceDefinitions: files, folders, standard input, and Helm charts.
// Of a chart it reads what Helm would install: the crds folders and the rendered templates. It does not use
// the network.
package bundle
