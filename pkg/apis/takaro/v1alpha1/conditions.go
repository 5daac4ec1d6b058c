// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types.
const (
	// ConditionReady is True when the external state matches the spec. Every kind has it.
	ConditionReady = "Ready"
	// ConditionStalled is True while the controller cannot continue before a user acts. Otherwise
	// it is absent. Its reason and message are those of Ready. kstatus, and therefore Helm and
	// Flux, report an object with this condition as failed.
	ConditionStalled = "Stalled"
	// ConditionSynced is True when the state in Takaro matches the spec.
	ConditionSynced = "Synced"
	// ConditionEndpointReady is True when Takaro responds and accepts the admin token.
	ConditionEndpointReady = "EndpointReady"
	// ConditionRootCredentials is True when the login of the domain's root user is in its Secret.
	// It is not part of Ready.
	ConditionRootCredentials = "RootCredentials"
	// ConditionRolesAssigned is True when the user has every role of the spec.
	ConditionRolesAssigned = "RolesAssigned"
	// ConditionPasswordValid is True when Takaro's login accepts the password. It is part of
	// Ready, except for an adopted user whose password was not set in the spec.
	ConditionPasswordValid = "PasswordValid"
)

// Reasons of conditions. Each has an entry in docs/troubleshooting.md.
const (
	// ReasonPending means that no controller has processed the object yet. The server sets it at
	// creation.
	ReasonPending = "Pending"
	// ReasonReconciling means that the controller is applying a new spec.
	ReasonReconciling = "Reconciling"
	// ReasonQueued means that a new spec waits for other objects of the same endpoint.
	ReasonQueued = "Queued"
	// ReasonAsSpecified means that the state matches the spec.
	ReasonAsSpecified = "AsSpecified"
	// ReasonDeletionBlocked means that the object in Takaro cannot be removed now. The message
	// contains the cause, and how to delete the Kubernetes object without it.
	ReasonDeletionBlocked = "DeletionBlocked"

	// ReasonEndpointAnswers means that Takaro responds and accepts the admin token.
	ReasonEndpointAnswers = "EndpointAnswers"
	// ReasonEndpointNotConfigured means that the spec has no credentials and the installation has
	// no endpoint with this address.
	ReasonEndpointNotConfigured = "EndpointNotConfigured"
	// ReasonEndpointUnavailable means that Takaro does not respond, or responds with internal
	// errors.
	ReasonEndpointUnavailable = "EndpointUnavailable"
	// ReasonEndpointNotTakaro means that a server other than Takaro responds at the address.
	ReasonEndpointNotTakaro = "EndpointNotTakaro"
	// ReasonEndpointRefused means that Roadstead does not connect to the address.
	ReasonEndpointRefused = "EndpointRefused"
	// ReasonAdminTokenRefused means that Takaro does not accept the admin token.
	ReasonAdminTokenRefused = "AdminTokenRefused"
	// ReasonRateLimited means that Takaro limits the rate of requests.
	ReasonRateLimited = "RateLimited"
	// ReasonSecretNotFound means that a Secret that the spec refers to does not exist.
	ReasonSecretNotFound = "SecretNotFound"
	// ReasonSecretKeyMissing means that a Secret that the spec refers to does not contain the
	// key, or that the value is invalid.
	ReasonSecretKeyMissing = "SecretKeyMissing"

	// ReasonNamespaceNotServed means that the controller is not allowed to use Secrets in the
	// namespace.
	ReasonNamespaceNotServed = "NamespaceNotServed"
	// ReasonSecretNameTaken means that a Secret with the required name exists and is owned by
	// another object or user.
	ReasonSecretNameTaken = "SecretNameTaken"
	// ReasonExternalReferenceTaken means that a Takaro domain that this object does not own has
	// the externalReference.
	ReasonExternalReferenceTaken = "ExternalReferenceTaken"
	// ReasonExternalReferenceNotFound means that no Takaro domain has the externalReference to
	// adopt.
	ReasonExternalReferenceNotFound = "ExternalReferenceNotFound"
	// ReasonInterruptedCreate means that the creation was interrupted. The incomplete object is
	// removed and created again.
	ReasonInterruptedCreate = "InterruptedCreate"
	// ReasonRequestRefused means that Takaro rejected a request as invalid. It is not retried
	// before the spec changes.
	ReasonRequestRefused = "RequestRefused"
	// ReasonRequestFailed means that a request failed. It is retried.
	ReasonRequestFailed = "RequestFailed"

	// ReasonRootCredentialsStored means that the root login is in the Secret.
	ReasonRootCredentialsStored = "RootCredentialsStored"
	// ReasonRootPasswordLost means that the root password was lost. Takaro returns it only once.
	ReasonRootPasswordLost = "RootPasswordLost"
	// ReasonRootPasswordUnknown means that the domain was adopted, and its root password is known
	// only to its creator.
	ReasonRootPasswordUnknown = "RootPasswordUnknown"

	// ReasonDeletingUsers means that a Domain is being deleted and waits for the deletion of its
	// Users.
	ReasonDeletingUsers = "DeletingUsers"
	// ReasonDeletingMockServers means that a Domain is being deleted and waits for the deletion
	// of its MockServers.
	ReasonDeletingMockServers = "DeletingMockServers"
	// ReasonDomainNotFound means that the Domain that the spec refers to does not exist.
	ReasonDomainNotFound = "DomainNotFound"
	// ReasonDomainNotReady means that the Domain has no Takaro domain yet, or that its Takaro
	// cannot be queried.
	ReasonDomainNotReady = "DomainNotReady"
	// ReasonDomainInMaintenance means that the Domain is in maintenance mode or disabled.
	ReasonDomainInMaintenance = "DomainInMaintenance"
	// ReasonDomainDeleting means that the Domain is being deleted.
	ReasonDomainDeleting = "DomainDeleting"
	// ReasonMaxUsersReached means that the domain has reached its limit of dashboard users.
	ReasonMaxUsersReached = "MaxUsersReached"
	// ReasonEmailReserved means that the e-mail address belongs to the domain's root user, which
	// Roadstead never changes.
	ReasonEmailReserved = "EmailReserved"
	// ReasonEmailTaken means that another user of the domain has the e-mail address, and
	// spec.adopt is not set.
	ReasonEmailTaken = "EmailTaken"
	// ReasonNothingToAdopt means that no user of the domain has the e-mail address to adopt.
	ReasonNothingToAdopt = "NothingToAdopt"
	// ReasonRolesMissing means that the domain lacks roles of the spec.
	ReasonRolesMissing = "RolesMissing"
	// ReasonPasswordAccepted means that Takaro's login accepts the password.
	ReasonPasswordAccepted = "PasswordAccepted"
	// ReasonPasswordRefused means that Takaro's login does not accept the password of the spec.
	ReasonPasswordRefused = "PasswordRefused"
	// ReasonPasswordUnknown means that the identity existed before, and its password is not the
	// generated one.
	ReasonPasswordUnknown = "PasswordUnknown"
	// ReasonSeedUnusable means that the installation's seed for generated passwords is invalid.
	ReasonSeedUnusable = "SeedUnusable"
)
