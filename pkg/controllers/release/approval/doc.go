// SPDX-License-Identifier: Apache-2.0

// Package approval contains the controllers that create an Approval for each breaking change that
// requires one, close Approvals that can no longer be decided, and copy the decision to the status
// of the CRDSchema. They also judge CRDSchemas that were created before their OperatorVersion.
package approval
