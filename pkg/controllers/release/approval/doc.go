// SPDX-License-Identifier: Apache-2.0

// Package approval makes an Approval of each breaking change that waits for one, closes those that nobody can decide any
// more, and carries what was decided into the CRDSchema. It also judges CRDSchemas that were made before their
// OperatorVersion.
package approval
