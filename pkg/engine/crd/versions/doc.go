// SPDX-License-Identifier: Apache-2.0

// Package versions compares the versions of a CustomResourceDefinition: which ones exist, what each of them serves, under
// which names, and what conversion between them loses.
package versions
