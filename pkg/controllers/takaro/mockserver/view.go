// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// view contains everything that the conditions of a MockServer with an up-to-date StatefulSet
// depend on.
type view struct {
	wanted int
	// deployed is set if all pods run as specified. ready is the number of ready pods, with the
	// current or a previous spec. trouble is why a pod is not ready.
	deployed bool
	ready    int
	trouble  string
	// registered and reachable count the wanted game servers that are. surplus counts the other
	// game servers that still exist.
	registered, reachable, surplus int
	// full is set if the domain accepts no more game servers. refused is set if a pod exited whose
	// game server is not registered.
	full, refused bool
	limit         int
	// misnamed is the number of game servers that do not have the specified name.
	misnamed int
	// nameHeld contains the pods whose game server Takaro rejects because its name is in use. held
	// is why pods are not restarted.
	nameHeld []string
	held     string
	// connector is the address where game servers register. hint says what to check when they are
	// overdue.
	connector, hint string
}

// viewOf is a pure function of an attempt and of Takaro's records. total is the number of game
// servers in the domain.
func viewOf(a *attempt, records map[int]takaro.GameServer, total int) view {
	v := view{wanted: replicasOf(a.server), limit: a.limit, full: a.limit >= 0 && total >= a.limit, connector: a.connector}
	if set := a.set; set != nil {
		wanted := ptr.Deref(set.Spec.Replicas, 1)
		v.ready = int(set.Status.ReadyReplicas)
		v.deployed = set.Status.ObservedGeneration == set.Generation && set.Status.Replicas == wanted &&
			set.Status.ReadyReplicas == wanted && set.Status.UpdatedReplicas == wanted
	}
	for ordinal, record := range records {
		switch {
		case ordinal >= v.wanted:
			v.surplus++
			continue
		case record.Reachable:
			v.reachable++
		}
		if record.Name != displayName(a.server, ordinal) {
			v.misnamed++
		}
		v.registered++
	}
	var troubles []string
	for ordinal, p := range a.pods {
		if _, registered := records[ordinal]; !registered && p.crashed {
			v.refused = true
		}
		if _, registered := records[ordinal]; !registered && p.nameHeld {
			v.nameHeld = append(v.nameHeld, p.name)
		}
		if p.trouble != "" {
			troubles = append(troubles, fmt.Sprintf("pod %s: %s", p.name, p.trouble))
		}
	}
	slices.Sort(v.nameHeld)
	if len(troubles) > 0 {
		v.trouble = slices.Min(troubles)
	}
	return v
}

// limited reports whether game servers are missing because the domain accepts no more.
func (v view) limited() bool { return v.full && v.refused && v.registered < v.wanted }

// verdict returns why a MockServer is not Ready, or empty strings.
func (v view) verdict() (reason, message string) {
	switch {
	case v.limited():
		return v1alpha1.ReasonGameServerLimitReached, v.limitMessage()
	case len(v.nameHeld) > 0 && v.registered < v.wanted:
		return v1alpha1.ReasonGameServerNameHeld, v.nameHeldMessage()
	case !v.deployed:
		return v1alpha1.ReasonPodsNotReady, v.podsMessage()
	case v.registered < v.wanted || v.surplus > 0:
		return v1alpha1.ReasonRegistering, v.registeredMessage()
	case v.reachable < v.wanted:
		return v1alpha1.ReasonGameServersUnreachable, v.unreachableMessage()
	}
	return "", ""
}

func (v view) nameHeldMessage() string {
	return fmt.Sprintf("Takaro refuses to register pod %s (409): a game server that was deleted in Takaro still has its name. "+
		"Takaro releases names within two hours, and the pod then registers by itself. To register now, delete this MockServer and "+
		"create it again: "+
		"its game servers then get other names to register with.", strings.Join(v.nameHeld, ", "))
}

func (v view) unreachableMessage() string {
	message := fmt.Sprintf("Takaro reaches %d of %d game servers. ", v.reachable, v.wanted)
	if v.held != "" {
		return message + v.held
	}
	return message + "A pod whose game server stays unreachable is restarted."
}

// counted returns a number with a noun, in the plural unless the number is one.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (v view) limitMessage() string {
	return fmt.Sprintf("the domain may have %d game servers, and has them; %d of %d are registered: raise "+
		"spec.domainLimits.maxGameServers of the Domain, or remove other game servers, or lower spec.replicas",
		v.limit, v.registered, v.wanted)
}

func (v view) podsMessage() string {
	message := fmt.Sprintf("%d of %d pods are ready as specified", v.ready, v.wanted)
	if v.ready >= v.wanted {
		message = "the pods are being changed to what the spec says"
	}
	if v.trouble != "" {
		message += "; " + v.trouble
	}
	return message
}

func (v view) registeredMessage() string {
	if v.surplus > 0 {
		return fmt.Sprintf("%d of %d game servers are registered; %d more wait for their pods to end", v.registered, v.wanted, v.surplus)
	}
	message := fmt.Sprintf("%d of %d game servers are registered with Takaro", v.registered, v.wanted)
	if v.hint != "" {
		return message + "; " + v.hint
	}
	return message + "; their pods dial the connector at " + v.connector
}

// hintOf says what to check when a pod is running and its game server is overdue to register: only
// the pod's log contains the reason.
func hintOf(a *attempt, records map[int]takaro.GameServer, overdue func(pod) bool) string {
	for ordinal := range replicasOf(a.server) {
		if _, registered := records[ordinal]; registered || !overdue(a.pods[ordinal]) {
			continue
		}
		name := podName(a.server, ordinal)
		hint := fmt.Sprintf("if it stays so, look at what pod %s says (kubectl logs %s -n %s): it must reach the connector at %s",
			name, name, a.server.Namespace, a.connector)
		if !strings.HasPrefix(strings.ToLower(a.connector), "wss://") {
			return hint
		}
		hint += " and trust its certificate, a private CA by "
		switch ref := a.server.Spec.DomainRef; {
		case !a.Resolved.Own:
			return hint + `the key "ca.crt" of the installation's endpoint`
		case ref != nil:
			return hint + fmt.Sprintf("spec.caBundleSecretRef of Domain %q", ref.Name)
		default:
			return hint + "spec.caBundleSecretRef of this object"
		}
	}
	return ""
}
