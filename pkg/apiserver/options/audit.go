// SPDX-License-Identifier: Apache-2.0

package options

import genericoptions "k8s.io/apiserver/pkg/server/options"

// auditBuffer is how many events wait for the audit log. With truncation, as in the manifests, an event has up to 100 KB, so a
// log that does not move costs up to 100 MB.
const auditBuffer = 1000

// newAudit returns the generic server's audit options, with a log that requests never wait for: whatever reads the standard
// output of a container may stop, and would stop the API. Events that find the buffer full are dropped and counted in
// apiserver_audit_error_total.
func newAudit() *genericoptions.AuditOptions {
	options := genericoptions.NewAuditOptions()
	options.LogOptions.BatchOptions.Mode = genericoptions.ModeBatch
	options.LogOptions.BatchOptions.BatchConfig.BufferSize = auditBuffer
	return options
}
