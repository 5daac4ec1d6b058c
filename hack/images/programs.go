// SPDX-License-Identifier: Apache-2.0

package main

// program is one that gets an image.
type program struct {
	// name is that of the binary, which lies at the root of the image, and of the image.
	name string
	// pkg is its main package, below the root of the checkout.
	pkg string
	// title and description are for people who look at a registry.
	title, description string
}

var programs = []program{
	{"roadstead-apiserver", "./cmd/apiserver", "Roadstead API server", "Serves environments and releases as a native Kubernetes API."},
	{"roadstead-controller", "./cmd/controller", "Roadstead controller", "Makes real what the Roadstead API holds."},
	{"roadstead-crdcheck", "./cmd/crdcheck", "Roadstead CRD check", "Tells what a change of CustomResourceDefinitions breaks."},
}

func names() []string {
	var all []string
	for _, p := range programs {
		all = append(all, p.name)
	}
	return all
}
