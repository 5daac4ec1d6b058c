// SPDX-License-Identifier: Apache-2.0

// Package crdschema stores CRDSchemas. A new one is compared with the one that it follows, and refused where that breaks more
// than the policy of its operator allows.
package crdschema
