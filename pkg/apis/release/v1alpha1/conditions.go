// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types.
const (
	// ConditionReady is True when all is as the spec says. Every stored kind has it.
	ConditionReady = "Ready"
	// ConditionStalled is True while nothing goes on before a user acts, and absent otherwise. Its reason and message are
	// those of Ready. kstatus, and with it Helm and Flux, reports an object that has it as failed.
	ConditionStalled = "Stalled"
	// ConditionRepositoryReachable is True when the repository answers and has the Operator's chart.
	ConditionRepositoryReachable = "RepositoryReachable"
	// ConditionChartFetched is True when the chart was fetched, and its definitions were found.
	ConditionChartFetched = "ChartFetched"
	// ConditionCRDsCompatible is True when no definition of the version breaks anything, or a person approved it.
	ConditionCRDsCompatible = "CRDsCompatible"
	// ConditionFinished is True when a decision is final, whatever it is.
	ConditionFinished = "Finished"
)

// Reasons of conditions. Each has an entry in docs/troubleshooting.md.
const (
	// ReasonPending says: no controller has processed the object yet. The server sets it at create.
	ReasonPending = "Pending"
	// ReasonReconciling says: a new spec was seen and is being carried out.
	ReasonReconciling = "Reconciling"
	// ReasonAsSpecified says: everything is as the spec says.
	ReasonAsSpecified = "AsSpecified"
	// ReasonOperatorNotFound says: the Operator that the spec refers to is not there.
	ReasonOperatorNotFound = "OperatorNotFound"
	// ReasonOperatorVersionNotFound says: the OperatorVersion that the spec refers to is not there.
	ReasonOperatorVersionNotFound = "OperatorVersionNotFound"
	// ReasonCompatible says: the change breaks nothing.
	ReasonCompatible = "Compatible"
	// ReasonNothingToCompare says: there is no earlier definition.
	ReasonNothingToCompare = "NothingToCompare"
	// ReasonBreakingAllowed says: the change breaks something, and the operator's policy only tells so.
	ReasonBreakingAllowed = "BreakingAllowed"
	// ReasonBreakingRefused says: the change breaks something, and the operator's policy or the API server refuses it.
	ReasonBreakingRefused = "BreakingRefused"
	// ReasonAwaitingApproval says: a person must decide; the message names the Approval.
	ReasonAwaitingApproval = "AwaitingApproval"
	// ReasonApproved says: it was approved.
	ReasonApproved = "Approved"
	// ReasonRejected says: it was rejected.
	ReasonRejected = "Rejected"
	// ReasonExpired says: nobody decided in time.
	ReasonExpired = "Expired"
	// ReasonVoided says: the subject of the decision changed or went away.
	ReasonVoided = "Voided"

	// ReasonRepositoryAnswers says: the repository answers and has the chart.
	ReasonRepositoryAnswers = "RepositoryAnswers"
	// ReasonRepositoryUnavailable says: the repository does not answer, or says "later"; it is asked again by itself.
	ReasonRepositoryUnavailable = "RepositoryUnavailable"
	// ReasonRepositoryRefused says: the address of the repository, or one that it leads to, may not be dialled.
	ReasonRepositoryRefused = "RepositoryRefused"
	// ReasonRepositoryNotFound says: there is no chart repository at the URL.
	ReasonRepositoryNotFound = "RepositoryNotFound"
	// ReasonRepositoryInvalid says: what answers is no chart repository, or its index cannot be used.
	ReasonRepositoryInvalid = "RepositoryInvalid"
	// ReasonCredentialsRefused says: the repository answers 401 or 403.
	ReasonCredentialsRefused = "CredentialsRefused"
	// ReasonSecretNotFound says: a Secret that the Operator names is not there.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonNamespaceNotServed says: the controller may not use Secrets in the namespace of one that the Operator names.
	ReasonNamespaceNotServed = "NamespaceNotServed"
	// ReasonSecretInvalid says: a Secret that the Operator names is of another type, or does not hold what it should.
	ReasonSecretInvalid = "SecretInvalid"
	// ReasonValuesInvalid says: values of the Operator cannot be read.
	ReasonValuesInvalid = "ValuesInvalid"
	// ReasonChartFetched says: the chart was fetched, and its definitions were found.
	ReasonChartFetched = "Fetched"
	// ReasonChartNotFound says: the repository does not have the chart.
	ReasonChartNotFound = "ChartNotFound"
	// ReasonChartVersionNotFound says: the repository does not have the version of the chart.
	ReasonChartVersionNotFound = "ChartVersionNotFound"
	// ReasonChartInvalid says: what was fetched is not the chart, or no chart that can be used.
	ReasonChartInvalid = "ChartInvalid"
	// ReasonChartTooLarge says: an index or a chart is larger than what is read.
	ReasonChartTooLarge = "ChartTooLarge"
	// ReasonChartNotRendered says: the templates of the chart fail with the Operator's values.
	ReasonChartNotRendered = "ChartNotRendered"
	// ReasonRenderTooSlow says: rendering the chart did not end within the time that it may take.
	ReasonRenderTooSlow = "RenderTooSlow"
	// ReasonRenderOutOfMemory says: rendering the chart needs more memory than it may use.
	ReasonRenderOutOfMemory = "RenderOutOfMemory"
	// ReasonRenderTooLarge says: what the chart renders is larger than what is read.
	ReasonRenderTooLarge = "RenderTooLarge"
	// ReasonRenderCrashed says: the process that rendered the chart ended without a result.
	ReasonRenderCrashed = "RenderCrashed"
	// ReasonSandboxUnavailable says: no chart is rendered, because the process that renders them cannot be confined.
	ReasonSandboxUnavailable = "SandboxUnavailable"
	// ReasonChartDigestMismatch says: what was fetched is not what the index or the manifest announces.
	ReasonChartDigestMismatch = "ChartDigestMismatch"
	// ReasonChartDigestChanged says: the repository serves another chart for the version than the one that was fetched.
	ReasonChartDigestChanged = "ChartDigestChanged"
	// ReasonChartCRDsChanged says: the chart no longer renders the CRDs that were recorded, because
	// the Operator's values changed.
	ReasonChartCRDsChanged = "ChartCRDsChanged"
	// ReasonTooManyCRDs says: the chart has more definitions than a version may have.
	ReasonTooManyCRDs = "TooManyCRDs"
	// ReasonSchemaRefused says: the API server refuses a CRDSchema for another reason than that it breaks something.
	ReasonSchemaRefused = "SchemaRefused"
	// ReasonSchemaNameTaken says: a CRDSchema of the name exists that the controller did not create
	// for this version.
	ReasonSchemaNameTaken = "SchemaNameTaken"
	// ReasonSchemaDigestMismatch says: a CRDSchema has another definition than the chart renders.
	ReasonSchemaDigestMismatch = "SchemaDigestMismatch"
	// ReasonRequestFailed says: a request to the API server failed; it is tried again.
	ReasonRequestFailed = "RequestFailed"
)

// MaxCRDs is how many definitions a version may have.
const MaxCRDs = 50

// MaxFindings is how many findings a status shows.
const MaxFindings = 50
