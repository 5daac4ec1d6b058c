// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types.
const (
	// ConditionReady is True when the state matches the spec. Every stored kind has it.
	ConditionReady = "Ready"
	// ConditionStalled is True while the controller cannot continue before a user acts. Otherwise
	// it is absent. Its reason and message are those of Ready. kstatus, and therefore Helm and
	// Flux, report an object with this condition as failed.
	ConditionStalled = "Stalled"
	// ConditionRepositoryReachable is True when the repository responds and has the Operator's
	// chart.
	ConditionRepositoryReachable = "RepositoryReachable"
	// ConditionChartFetched is True when the chart was fetched and its CRDs were found.
	ConditionChartFetched = "ChartFetched"
	// ConditionCRDsCompatible is True when no CRD of the version has a breaking change, or a user
	// approved the change.
	ConditionCRDsCompatible = "CRDsCompatible"
	// ConditionFinished is True when a decision is final, regardless of its result.
	ConditionFinished = "Finished"
)

// Reasons of conditions. Each has an entry in docs/troubleshooting.md.
const (
	// ReasonPending means that no controller has processed the object yet. The server sets it at
	// creation.
	ReasonPending = "Pending"
	// ReasonReconciling means that the controller is applying a new spec.
	ReasonReconciling = "Reconciling"
	// ReasonAsSpecified means that the state matches the spec.
	ReasonAsSpecified = "AsSpecified"
	// ReasonOperatorNotFound means that the Operator that the spec refers to does not exist.
	ReasonOperatorNotFound = "OperatorNotFound"
	// ReasonOperatorVersionNotFound means that the OperatorVersion that the spec refers to does
	// not exist.
	ReasonOperatorVersionNotFound = "OperatorVersionNotFound"
	// ReasonCompatible means that the change breaks nothing.
	ReasonCompatible = "Compatible"
	// ReasonNothingToCompare means that there is no earlier version of the CRD.
	ReasonNothingToCompare = "NothingToCompare"
	// ReasonBreakingAllowed means that the change is breaking, and that the operator's policy
	// only reports it.
	ReasonBreakingAllowed = "BreakingAllowed"
	// ReasonBreakingRefused means that the change is breaking, and that the operator's policy or
	// the API server refuses it.
	ReasonBreakingRefused = "BreakingRefused"
	// ReasonAwaitingApproval means that a user must decide. The message contains the name of the
	// Approval.
	ReasonAwaitingApproval = "AwaitingApproval"
	// ReasonApproved means that the change was approved.
	ReasonApproved = "Approved"
	// ReasonRejected means that the change was rejected.
	ReasonRejected = "Rejected"
	// ReasonExpired means that the deadline passed without a decision.
	ReasonExpired = "Expired"
	// ReasonVoided means that the subject of the decision changed or was deleted.
	ReasonVoided = "Voided"

	// ReasonRepositoryAnswers means that the repository responds and has the chart.
	ReasonRepositoryAnswers = "RepositoryAnswers"
	// ReasonRepositoryUnavailable means that the repository does not respond, or requests a later
	// retry. The request is retried without user action.
	ReasonRepositoryUnavailable = "RepositoryUnavailable"
	// ReasonRepositoryRefused means that connections to the address of the repository, or to an
	// address that it redirects to, are not allowed.
	ReasonRepositoryRefused = "RepositoryRefused"
	// ReasonRepositoryNotFound means that there is no chart repository at the URL.
	ReasonRepositoryNotFound = "RepositoryNotFound"
	// ReasonRepositoryInvalid means that the server at the URL is not a chart repository, or that
	// its index is invalid.
	ReasonRepositoryInvalid = "RepositoryInvalid"
	// ReasonCredentialsRefused means that the repository responds with 401 or 403.
	ReasonCredentialsRefused = "CredentialsRefused"
	// ReasonSecretNotFound means that a Secret that the Operator refers to does not exist.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonNamespaceNotServed means that the controller is not allowed to use Secrets in the
	// namespace of a Secret that the Operator refers to.
	ReasonNamespaceNotServed = "NamespaceNotServed"
	// ReasonSecretInvalid means that a Secret that the Operator refers to has a different type,
	// or does not contain the required data.
	ReasonSecretInvalid = "SecretInvalid"
	// ReasonValuesInvalid means that values of the Operator cannot be parsed.
	ReasonValuesInvalid = "ValuesInvalid"
	// ReasonChartFetched means that the chart was fetched and its CRDs were found.
	ReasonChartFetched = "Fetched"
	// ReasonChartNotFound means that the repository does not have the chart.
	ReasonChartNotFound = "ChartNotFound"
	// ReasonChartVersionNotFound means that the repository does not have the version of the
	// chart.
	ReasonChartVersionNotFound = "ChartVersionNotFound"
	// ReasonChartInvalid means that the fetched content is not the chart, or not a usable chart.
	ReasonChartInvalid = "ChartInvalid"
	// ReasonChartTooLarge means that an index or a chart exceeds the maximum size.
	ReasonChartTooLarge = "ChartTooLarge"
	// ReasonChartNotRendered means that the templates of the chart fail with the Operator's
	// values.
	ReasonChartNotRendered = "ChartNotRendered"
	// ReasonRenderTooSlow means that rendering the chart exceeded the time limit.
	ReasonRenderTooSlow = "RenderTooSlow"
	// ReasonRenderOutOfMemory means that rendering the chart exceeded the memory limit.
	ReasonRenderOutOfMemory = "RenderOutOfMemory"
	// ReasonRenderTooLarge means that the rendered chart exceeds the maximum size.
	ReasonRenderTooLarge = "RenderTooLarge"
	// ReasonRenderCrashed means that the process that rendered the chart ended without a result.
	ReasonRenderCrashed = "RenderCrashed"
	// ReasonSandboxUnavailable means that charts are not rendered because the rendering process
	// cannot be confined.
	ReasonSandboxUnavailable = "SandboxUnavailable"
	// ReasonChartDigestMismatch means that the fetched content does not match the digest in the
	// index or the manifest.
	ReasonChartDigestMismatch = "ChartDigestMismatch"
	// ReasonChartDigestChanged means that the repository serves a different chart for the version
	// than the one that was fetched.
	ReasonChartDigestChanged = "ChartDigestChanged"
	// ReasonChartCRDsChanged means that the chart no longer renders the recorded CRDs, because
	// the Operator's values changed.
	ReasonChartCRDsChanged = "ChartCRDsChanged"
	// ReasonTooManyCRDs means that the chart has more CRDs than are allowed for a version.
	ReasonTooManyCRDs = "TooManyCRDs"
	// ReasonSchemaRefused means that the API server refuses a CRDSchema for a reason other than a
	// breaking change.
	ReasonSchemaRefused = "SchemaRefused"
	// ReasonSchemaNameTaken means that a CRDSchema with the required name exists that the
	// controller did not create for this version.
	ReasonSchemaNameTaken = "SchemaNameTaken"
	// ReasonSchemaDigestMismatch means that the CRD of a CRDSchema differs from the one that the
	// chart renders.
	ReasonSchemaDigestMismatch = "SchemaDigestMismatch"
	// ReasonRequestFailed means that a request to the API server failed. It is retried.
	ReasonRequestFailed = "RequestFailed"
)

// MaxCRDs is the maximum number of CRDs of a version.
const MaxCRDs = 50

// MaxFindings is the maximum number of findings in a status.
const MaxFindings = 50
