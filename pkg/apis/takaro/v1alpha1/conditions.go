// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types.
const (
	// ConditionReady is True when the outside is as the spec says. Every kind has it.
	ConditionReady = "Ready"
	// ConditionSynced is True when what is in Takaro equals the spec.
	ConditionSynced = "Synced"
	// ConditionEndpointReady is True when Takaro answers and takes the admin token.
	ConditionEndpointReady = "EndpointReady"
	// ConditionRootCredentials is True when the login of the domain's root user is in its Secret. Not part of Ready.
	ConditionRootCredentials = "RootCredentials"
)

// Reasons of conditions. Each has an entry in docs/troubleshooting.md.
const (
	// ReasonReconciling: a new spec was seen and is being carried out.
	ReasonReconciling = "Reconciling"
	// ReasonAsSpecified: everything is as the spec says.
	ReasonAsSpecified = "AsSpecified"
	// ReasonDeleting: the object is being deleted.
	ReasonDeleting = "Deleting"
	// ReasonDeletionBlocked: the Takaro side cannot be removed now; the message says why and how to let go.
	ReasonDeletionBlocked = "DeletionBlocked"

	// ReasonEndpointAnswers: Takaro answers and takes the admin token.
	ReasonEndpointAnswers = "EndpointAnswers"
	// ReasonEndpointNotConfigured: the spec names no credentials and the installation has no endpoint of this address.
	ReasonEndpointNotConfigured = "EndpointNotConfigured"
	// ReasonEndpointUnavailable: Takaro does not answer, or with errors of its own.
	ReasonEndpointUnavailable = "EndpointUnavailable"
	// ReasonEndpointNotTakaro: something else than Takaro answers at the address.
	ReasonEndpointNotTakaro = "EndpointNotTakaro"
	// ReasonEndpointRefused: Roadstead does not connect to the address.
	ReasonEndpointRefused = "EndpointRefused"
	// ReasonAdminTokenRefused: Takaro does not take the admin token.
	ReasonAdminTokenRefused = "AdminTokenRefused"
	// ReasonRateLimited: Takaro asked to wait.
	ReasonRateLimited = "RateLimited"
	// ReasonSecretNotFound: a Secret named in the spec is not there.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonSecretKeyMissing: a Secret named in the spec lacks the key, or its value cannot be used.
	ReasonSecretKeyMissing = "SecretKeyMissing"

	// ReasonSecretNameTaken: a Secret that would be written belongs to somebody else.
	ReasonSecretNameTaken = "SecretNameTaken"
	// ReasonExternalReferenceTaken: a Takaro domain that is not ours carries the reference.
	ReasonExternalReferenceTaken = "ExternalReferenceTaken"
	// ReasonExternalReferenceNotFound: no Takaro domain carries the reference that is to be adopted.
	ReasonExternalReferenceNotFound = "ExternalReferenceNotFound"
	// ReasonDomainIncomplete: Takaro made the domain only in part, and its reference was typed, so it is not remade.
	ReasonDomainIncomplete = "DomainIncomplete"
	// ReasonInterruptedCreate: a domain of an interrupted create was found; it is removed and made again.
	ReasonInterruptedCreate = "InterruptedCreate"
	// ReasonRequestRefused: Takaro refused a request as invalid; nothing is retried before the spec changes.
	ReasonRequestRefused = "RequestRefused"
	// ReasonRequestFailed: a request failed and is repeated.
	ReasonRequestFailed = "RequestFailed"

	// ReasonRootCredentialsStored: the root login is in the Secret.
	ReasonRootCredentialsStored = "RootCredentialsStored"
	// ReasonRootPasswordLost: Takaro tells the root password once, and it is gone.
	ReasonRootPasswordLost = "RootPasswordLost"
	// ReasonRootPasswordUnknown: the domain was adopted; whoever made it has the root password.
	ReasonRootPasswordUnknown = "RootPasswordUnknown"
)
