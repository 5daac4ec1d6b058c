// SPDX-License-Identifier: Apache-2.0

// Package check determines which invariants a run has violated. All its functions are pure
// functions of the observations.
package check

import (
	"fmt"

	"roadstead.dev/roadstead/test/chaos/history"
)

// Rule is the name of an invariant.
type Rule string

// The invariants.
const (
	// Lost: an acknowledged write is never lost.
	Lost Rule = "write-lost"
	// Twice: each outside object is created exactly once per owner.
	Twice Rule = "made-twice"
	// Left: no outside object is left after its owner was deleted.
	Left Rule = "left-behind"
	// Discarded: a domain that is retained by its deletion policy is not deleted.
	Discarded Rule = "deleted-though-retained"
	// Once: a value that is issued only once, such as a root password or the seed, is never
	// overwritten.
	Once Rule = "once-overwritten"
	// Login: the logins and tokens in Secrets of Ready objects work.
	Login Rule = "login-refused"
	// Foreign: no foreign object is ever deleted or changed.
	Foreign Rule = "foreign-touched"
	// NotReady: the status never reports Ready if that is not the case.
	NotReady Rule = "ready-though-not"
	// Unsettled: everything that can converge does so within a time limit after the last fault.
	Unsettled Rule = "not-converged"
	// HotLoop: nothing is retried more often than once per second for a long time.
	HotLoop Rule = "hot-loop"
	// Guard: a breaking change of a CRD passes only while the guard is unavailable, and is then
	// reported once.
	Guard Rule = "guard"
	// Watch: a client that watches ends up with the stored state.
	Watch Rule = "watch"
	// Crash: no program panics.
	Crash Rule = "crash"
	// Resources: no program exceeds its limits of memory and goroutines.
	Resources Rule = "resources"
	// Restarts: no pod is restarted once the run has settled.
	Restarts Rule = "needless-restart"
)

// Violation is one violation of an invariant.
type Violation struct {
	Rule Rule
	Text string
}

// String returns "rule: text".
func (v Violation) String() string { return string(v.Rule) + ": " + v.Text }

func breach(rule Rule, format string, args ...any) Violation {
	return Violation{Rule: rule, Text: fmt.Sprintf(format, args...)}
}

// Kinds of objects.
const (
	Domain     = "Domain"
	User       = "User"
	MockServer = "MockServer"
)

// Object contains the data of a stored object that the checks need.
type Object struct {
	Key history.Key
	// UID and Version identify the object and its state. Mark is that of the last write.
	UID, Version string
	Mark         int
	Deleting     bool
	// Ready is the status of that condition if it is about the current generation, else empty.
	// Reason and Message belong to it.
	Ready, Reason, Message string
	// Domain is the name of the Domain that the object belongs to, empty for Domains.
	Domain string
	// Reference is the reference in Takaro that the spec of a Domain sets, and Policy its deletion
	// policy. Adopt reports whether it adopts the domain with the reference.
	Reference, Policy string
	Adopt             bool
	// LoginSecret and TokenSecret are the Secrets named in the status. Credentials is the Secret
	// named in the spec.
	LoginSecret, TokenSecret, Credentials string
	// OutsideID is the id in Takaro from the status. DomainID is the id of the Takaro domain of its
	// Domain, if the status contains it.
	OutsideID, DomainID string
	// Unused reports whether OutsideID was recorded after the deletion had begun: such a domain is
	// left over from an interrupted create.
	Unused bool
	// Name is the name in Takaro, Email that of a User, and Roles the roles in the spec of a User.
	Name, Email string
	Roles       []string
	// MaxGameServers is the limit in the spec of a Domain, 0 if unset.
	MaxGameServers int
	// Servers are the ids of the game servers in the status of a MockServer. Replicas is the number
	// in the spec.
	Servers  []string
	Replicas int
}

// IsReady reports whether the object is Ready and not being deleted.
func (o Object) IsReady() bool { return o.Ready == "True" && !o.Deleting }
