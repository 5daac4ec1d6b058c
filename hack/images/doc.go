// SPDX-License-Identifier: Apache-2.0

// Command images builds the container images of all programs, without a container engine: an OCI
// layout for each program below out/images, with an image for each platform and a software bill of
// materials for each image. The same source, Go version and flags result in the same bytes. "make
// images" runs it with the version of the checkout.
package main
