// SPDX-License-Identifier: Apache-2.0

package main

// program is a program with an image.
type program struct {
	// name is the name of the image and of its binary, which is in the root directory of the image.
	name string
	// pkg is its main package, below the root of the checkout.
	pkg string
	// title and description are shown to users of a registry.
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
