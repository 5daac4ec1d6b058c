// SPDX-License-Identifier: Apache-2.0

// Package check says which invariants a run has violated. Everything in it is a pure function of what was observed.
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
	// Twice: each outside object is made exactly once per owner.
	Twice Rule = "made-twice"
	// Left: nothing outside is left when its owner is gone.
	Left Rule = "left-behind"
	// Discarded: what stays by its deletion policy is not deleted.
	Discarded Rule = "deleted-though-retained"
	// Once: what is issued only once, as a root password or the seed, is never overwritten.
	Once Rule = "once-overwritten"
	// Login: the logins and tokens in Secrets of Ready objects work.
	Login Rule = "login-refused"
	// Foreign: nothing foreign is ever deleted or changed.
	Foreign Rule = "foreign-touched"
	// NotReady: the status never says Ready when it is not.
	NotReady Rule = "ready-though-not"
	// Unsettled: all that can converge converges in time after the last fault.
	Unsettled Rule = "not-converged"
	// HotLoop: nothing is tried more often than once a second for long.
	HotLoop Rule = "hot-loop"
	// Guard: a breaking change of a CRD passes only while the guard is away, and is then told once.
	Guard Rule = "guard"
	// Watch: who watches ends up with what is stored.
	Watch Rule = "watch"
	// Crash: no program panics.
	Crash Rule = "crash"
	// Resources: no program uses more memory or goroutines than it may.
	Resources Rule = "resources"
	// Restarts: no pod is restarted once all has settled.
	Restarts Rule = "needless-restart"
)

// Violation is one breach of an invariant.
type Violation struct {
	Rule Rule
	Text string
}

// String is "rule: text".
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

// Object is what the checks need of a stored object.
type Object struct {
	Key history.Key
	// UID and Version identify it and its state; Mark is that of the last write.
	UID, Version string
	Mark         int
	Deleting     bool
	// Ready is the status of that condition if it is about the present generation, else empty; Reason and Message go with it.
	Ready, Reason, Message string
	// Domain is the name of the Domain that it goes with; empty for Domains.
	Domain string
	// Reference is what a Domain types as its reference in Takaro, Policy its deletion policy. Adopt
	// reports that it takes over the domain with the reference.
	Reference, Policy string
	Adopt             bool
	// LoginSecret and TokenSecret are the Secrets that its status names. Credentials is the Secret
	// that its spec names.
	LoginSecret, TokenSecret, Credentials string
	// OutsideID is the id in Takaro that its status tells; DomainID that of its Domain's domain, where the status tells it.
	OutsideID, DomainID string
	// Unused reports that OutsideID was recorded after the deletion had begun: it is what an interrupted create left.
	Unused bool
	// Name is what it is called in Takaro, Email that of a User, Roles those that a User has by its spec.
	Name, Email string
	Roles       []string
	// MaxGameServers is the limit in the spec of a Domain, 0 for none.
	MaxGameServers int
	// Servers are the ids of the game servers in the status of a MockServer; Replicas is their number by the spec.
	Servers  []string
	Replicas int
}

// IsReady tells whether it says that it is Ready.
func (o Object) IsReady() bool { return o.Ready == "True" && !o.Deleting }
