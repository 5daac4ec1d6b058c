// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types of MockServers.
const (
	// ConditionDeployed is True when all pods of a MockServer run as specified.
	ConditionDeployed = "Deployed"
	// ConditionRegistered is True when Takaro has a game server for each replica.
	ConditionRegistered = "Registered"
)

// Reasons of conditions of MockServers that are not shared by all kinds.
const (
	// ReasonDeleting means that the object is being deleted, and waits for a step that completes
	// without user action.
	ReasonDeleting = "Deleting"

	// ReasonConnectorUnknown means that the address of Takaro's connector is neither set nor can
	// be derived.
	ReasonConnectorUnknown = "ConnectorUnknown"
	// ReasonRedisNotConfigured means that the spec has no Redis and the installation has none.
	ReasonRedisNotConfigured = "RedisNotConfigured"
	// ReasonRedisUnavailable means that Redis does not respond, or rejects the login.
	ReasonRedisUnavailable = "RedisUnavailable"
	// ReasonStatefulSetNameTaken means that a StatefulSet with the name of the MockServer exists
	// and is owned by another object or user.
	ReasonStatefulSetNameTaken = "StatefulSetNameTaken"
	// ReasonStatefulSetRefused means that the cluster rejects the StatefulSet.
	ReasonStatefulSetRefused = "StatefulSetRefused"
	// ReasonPodsNotReady means that not all pods run as specified yet.
	ReasonPodsNotReady = "PodsNotReady"
	// ReasonRegistering means that not all game servers have registered with Takaro yet.
	ReasonRegistering = "Registering"
	// ReasonGameServersUnreachable means that Takaro cannot reach all game servers.
	ReasonGameServersUnreachable = "GameServersUnreachable"
	// ReasonGameServerLimitReached means that the domain has reached its limit of game servers.
	ReasonGameServerLimitReached = "GameServerLimitReached"
	// ReasonGameServerNameHeld means that Takaro rejects a game server because a deleted one
	// still has its name.
	ReasonGameServerNameHeld = "GameServerNameHeld"
)
