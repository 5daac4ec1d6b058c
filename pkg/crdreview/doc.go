// SPDX-License-Identifier: Apache-2.0

// Package crdreview decides what becomes of a change of a CustomResourceDefinition under a policy, and puts the findings of a
// comparison into the words of an API: causes of a refusal, warnings, and findings of a bounded size.
package crdreview
