// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types.
const (
	// ConditionReady is True when the outside is as the spec says. Every kind has it.
	ConditionReady = "Ready"
	// ConditionStalled is True while nothing goes on before a user acts, and absent otherwise. Its reason and message are
	// those of Ready. kstatus, and with it Helm and Flux, reports an object that has it as failed.
	ConditionStalled = "Stalled"
	// ConditionSynced is True when what is in Takaro equals the spec.
	ConditionSynced = "Synced"
	// ConditionEndpointReady is True when Takaro answers and takes the admin token.
	ConditionEndpointReady = "EndpointReady"
	// ConditionRootCredentials is True when the login of the domain's root user is in its Secret. Not part of Ready.
	ConditionRootCredentials = "RootCredentials"
	// ConditionRolesAssigned is True when the user has every role of the spec.
	ConditionRolesAssigned = "RolesAssigned"
	// ConditionPasswordValid is True when Takaro's login accepts the password. Part of Ready, except for an adopted user
	// without a given password.
	ConditionPasswordValid = "PasswordValid"
)

// Reasons of conditions. Each has an entry in docs/troubleshooting.md.
const (
	// ReasonPending says: no controller has processed the object yet. The server sets it at create.
	ReasonPending = "Pending"
	// ReasonReconciling says: a new spec was seen and is being carried out.
	ReasonReconciling = "Reconciling"
	// ReasonQueued says: a new spec was seen, and others of the same endpoint come first.
	ReasonQueued = "Queued"
	// ReasonAsSpecified says: everything is as the spec says.
	ReasonAsSpecified = "AsSpecified"
	// ReasonDeletionBlocked says: the Takaro side cannot be removed now; the message says why and how to let go.
	ReasonDeletionBlocked = "DeletionBlocked"

	// ReasonEndpointAnswers says: Takaro answers and takes the admin token.
	ReasonEndpointAnswers = "EndpointAnswers"
	// ReasonEndpointNotConfigured says: the spec names no credentials and the installation has no endpoint of this address.
	ReasonEndpointNotConfigured = "EndpointNotConfigured"
	// ReasonEndpointUnavailable says: Takaro does not answer, or with errors of its own.
	ReasonEndpointUnavailable = "EndpointUnavailable"
	// ReasonEndpointNotTakaro says: something else than Takaro answers at the address.
	ReasonEndpointNotTakaro = "EndpointNotTakaro"
	// ReasonEndpointRefused says: Roadstead does not connect to the address.
	ReasonEndpointRefused = "EndpointRefused"
	// ReasonAdminTokenRefused says: Takaro does not take the admin token.
	ReasonAdminTokenRefused = "AdminTokenRefused"
	// ReasonRateLimited says: Takaro asked to wait.
	ReasonRateLimited = "RateLimited"
	// ReasonSecretNotFound says: a Secret named in the spec is not there.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonSecretKeyMissing says: a Secret named in the spec lacks the key, or its value cannot be used.
	ReasonSecretKeyMissing = "SecretKeyMissing"

	// ReasonNamespaceNotServed says: the controller may not use Secrets in the namespace.
	ReasonNamespaceNotServed = "NamespaceNotServed"
	// ReasonSecretNameTaken says: a Secret that would be written belongs to somebody else.
	ReasonSecretNameTaken = "SecretNameTaken"
	// ReasonExternalReferenceTaken says: a Takaro domain that is not ours carries the reference.
	ReasonExternalReferenceTaken = "ExternalReferenceTaken"
	// ReasonExternalReferenceNotFound says: no Takaro domain carries the reference that is to be adopted.
	ReasonExternalReferenceNotFound = "ExternalReferenceNotFound"
	// ReasonInterruptedCreate says: a create was interrupted. What it left is removed and created anew.
	ReasonInterruptedCreate = "InterruptedCreate"
	// ReasonRequestRefused says: Takaro refused a request as invalid; nothing is retried before the spec changes.
	ReasonRequestRefused = "RequestRefused"
	// ReasonRequestFailed says: a request failed and is repeated.
	ReasonRequestFailed = "RequestFailed"

	// ReasonRootCredentialsStored says: the root login is in the Secret.
	ReasonRootCredentialsStored = "RootCredentialsStored"
	// ReasonRootPasswordLost says: Takaro tells the root password once, and it is gone.
	ReasonRootPasswordLost = "RootPasswordLost"
	// ReasonRootPasswordUnknown says: the domain was adopted; whoever made it has the root password.
	ReasonRootPasswordUnknown = "RootPasswordUnknown"

	// ReasonDeletingUsers: the Users of a Domain that is being deleted go first.
	ReasonDeletingUsers = "DeletingUsers"
	// ReasonDeletingMockServers says: a Domain that is being deleted waits for its MockServers to go.
	ReasonDeletingMockServers = "DeletingMockServers"
	// ReasonDomainNotFound: the Domain that the spec refers to is not there.
	ReasonDomainNotFound = "DomainNotFound"
	// ReasonDomainNotReady: the Domain has no Takaro domain yet, or its Takaro cannot be asked.
	ReasonDomainNotReady = "DomainNotReady"
	// ReasonDomainInMaintenance: the Domain is in maintenance or disabled.
	ReasonDomainInMaintenance = "DomainInMaintenance"
	// ReasonDomainDeleting: the Domain is being deleted.
	ReasonDomainDeleting = "DomainDeleting"
	// ReasonMaxUsersReached: the domain has as many dashboard users as its limit allows.
	ReasonMaxUsersReached = "MaxUsersReached"
	// ReasonEmailReserved: the e-mail is that of the domain's root user, which is never touched.
	ReasonEmailReserved = "EmailReserved"
	// ReasonEmailTaken: another user of the domain has the e-mail address, and spec.adopt is not set.
	ReasonEmailTaken = "EmailTaken"
	// ReasonNothingToAdopt: no user of the domain has the e-mail address that is to be adopted.
	ReasonNothingToAdopt = "NothingToAdopt"
	// ReasonRolesMissing: the domain does not have all roles of the spec.
	ReasonRolesMissing = "RolesMissing"
	// ReasonPasswordAccepted: Takaro's login takes the password.
	ReasonPasswordAccepted = "PasswordAccepted"
	// ReasonPasswordRefused: Takaro's login does not take the given password.
	ReasonPasswordRefused = "PasswordRefused"
	// ReasonPasswordUnknown: the identity existed before, and its password is not the generated one.
	ReasonPasswordUnknown = "PasswordUnknown"
	// ReasonSeedUnusable: the installation's seed for generated passwords cannot be used.
	ReasonSeedUnusable = "SeedUnusable"
)
