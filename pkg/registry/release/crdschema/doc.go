// SPDX-License-Identifier: Apache-2.0

// Package crdschema stores CRDSchemas. A new CRDSchema is compared with its baseline, and refused
// if the change breaks more than the policy of its Operator allows.
package crdschema
