// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types of MockServers.
const (
	// ConditionDeployed is True when all pods of a MockServer run as specified.
	ConditionDeployed = "Deployed"
	// ConditionRegistered is True when Takaro has a game server for each replica.
	ConditionRegistered = "Registered"
)

// Reasons of conditions of MockServers, beside those that all kinds share.
const (
	// ReasonDeleting says: the object is being deleted, and waits for something that goes by itself.
	ReasonDeleting = "Deleting"

	// ReasonConnectorUnknown says: nothing says where Takaro's connector is.
	ReasonConnectorUnknown = "ConnectorUnknown"
	// ReasonRedisNotConfigured says: the spec names no Redis and the installation has none.
	ReasonRedisNotConfigured = "RedisNotConfigured"
	// ReasonRedisUnavailable says: Redis does not answer, or refuses the login.
	ReasonRedisUnavailable = "RedisUnavailable"
	// ReasonStatefulSetNameTaken says: a StatefulSet of the MockServer's name belongs to somebody else.
	ReasonStatefulSetNameTaken = "StatefulSetNameTaken"
	// ReasonStatefulSetRefused says: the cluster does not take the StatefulSet.
	ReasonStatefulSetRefused = "StatefulSetRefused"
	// ReasonPodsNotReady says: not all pods run as specified yet.
	ReasonPodsNotReady = "PodsNotReady"
	// ReasonRegistering says: not all game servers have registered with Takaro yet.
	ReasonRegistering = "Registering"
	// ReasonGameServersUnreachable says: Takaro does not reach all game servers.
	ReasonGameServersUnreachable = "GameServersUnreachable"
	// ReasonGameServerLimitReached says: the domain has as many game servers as its limit allows.
	ReasonGameServerLimitReached = "GameServerLimitReached"
	// ReasonGameServerNameHeld says: Takaro refuses a game server since a deleted one still has its name.
	ReasonGameServerNameHeld = "GameServerNameHeld"
)
