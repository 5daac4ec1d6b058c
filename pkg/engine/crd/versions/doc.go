// SPDX-License-Identifier: Apache-2.0

// Package versions compares the versions of a CustomResourceDefinition: which versions exist, what each
// of them serves, under which names, and what is lost by conversion between them.
package versions
