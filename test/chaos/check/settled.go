// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"
	"time"

	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// Pending returns violations for what has not converged: objects that are not Ready although they
// could be, objects that are being deleted, and Ready ones with servers that Takaro does not reach.
// Terminating are the namespaces that are being deleted.
func Pending(final []Object, terminating []string, outside Outside) []Violation {
	var found []Violation
	domains := outside.Domains
	owners := map[history.Key]Object{}
	for _, object := range final {
		if object.Key.Kind == Domain {
			owners[object.Key] = object
		}
	}
	for _, object := range final {
		owner, hasOwner := owners[history.Key{Kind: Domain, Namespace: object.Key.Namespace, Name: object.Domain}]
		switch {
		case object.Deleting:
			found = append(found, breach(Unsettled, "%s is still being deleted: %s %s", object.Key, object.Reason, object.Message))
		case outside.takes(object.Reference):
			if object.Reason != "ExternalReferenceTaken" {
				found = append(found, breach(Unsettled, "%s claims somebody else's domain, and does not say ExternalReferenceTaken but %s %s",
					object.Key, object.Ready, object.Reason))
			}
		case object.Domain != "" && !hasOwner:
			// It waits for its Domain indefinitely.
			if object.Ready != "False" || object.Reason != "DomainNotFound" {
				found = append(found, breach(Unsettled, "%s has no Domain, and does not say DomainNotFound but %s %s %s", object.Key, object.Ready,
					object.Reason, object.Message))
			}
		case object.Domain != "" && outside.takes(owner.Reference):
			if object.Ready == "True" && find(domains, object.DomainID) == nil {
				found = append(found, breach(Unsettled, "%s is Ready in a Domain that has no Takaro domain", object.Key))
			}
		case object.Ready != "True":
			found = append(found, breach(Unsettled, "%s is not Ready: %s %s %s", object.Key, object.Ready, object.Reason, object.Message))
		default:
			for _, wrong := range append(Untrue(object, find(domains, object.DomainID)), unreachable(object, domains)...) {
				found = append(found, breach(Unsettled, "%s: %s", object.Key, wrong))
			}
		}
	}
	for _, namespace := range terminating {
		found = append(found, breach(Unsettled, "namespace %s is still being deleted", namespace))
	}
	return found
}

func find(domains []takaro.Domain, id string) *takaro.Domain {
	if i := slices.IndexFunc(domains, func(d takaro.Domain) bool { return d.ID == id }); i >= 0 {
		return &domains[i]
	}
	return nil
}

func unreachable(object Object, domains []takaro.Domain) []string {
	var wrong []string
	if domain := find(domains, object.DomainID); domain != nil {
		for _, server := range domain.GameServers {
			if slices.Contains(object.Servers, server.ID) && !server.Reachable {
				wrong = append(wrong, "game server "+server.Name+" is not reachable")
			}
		}
	}
	return wrong
}

// Most is how often anything may happen to one object within Window: once per second, which
// includes what a new object needs.
const (
	Window = time.Minute
	Most   = 60
)

// Busy returns violations for objects that changed, or were requested, more often than Most times
// within Window. The times are sorted by a clock that may be set back; the times before such a
// change form a separate series.
func Busy(what string, times []time.Time) []Violation {
	for i := 1; i < len(times); i++ {
		if times[i].Before(times[i-1]) {
			return append(Busy(what, times[:i]), Busy(what, times[i:])...)
		}
	}
	for i := range times {
		if i+Most < len(times) && times[i+Most].Sub(times[i]) < Window {
			return []Violation{breach(HotLoop, "%s: %d times within %s, from %s on", what, Most+1, times[i+Most].Sub(times[i]).Round(time.Second),
				times[i].Format(time.TimeOnly))}
		}
	}
	return nil
}
