// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"fmt"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// maxNames is the maximum number of held objects in a status.
const maxNames = 20

// holdKind is a type of hold, with its judgement and its messages.
type holdKind struct {
	name v1alpha1.HoldType
	// reason is the reason of the condition Ready, and of the event when objects are held.
	reason string
	// judge returns what is held if the names are released. It has no side effects.
	judge func(r *record, released []string) verdict
	// message describes what is held, why, and what ends the hold.
	message func(e *v1alpha1.TakaroEndpoint, held v1alpha1.Hold) string
	// counts describes the names that a release covers. follows describes the effect of a release.
	// over is the message of the event that the hold has ended.
	counts, follows, over string
}

// kinds contains all types of hold. The first one that holds objects determines the reason of the
// condition Ready.
var kinds = []holdKind{vanishedKind, deletionKind, restartsKind}

var vanishedKind = holdKind{
	name: v1alpha1.HoldVanished, reason: v1alpha1.ReasonVanishedHeld, judge: judgeVanished,
	message: func(e *v1alpha1.TakaroEndpoint, held v1alpha1.Hold) string {
		return fmt.Sprintf("%d domains no longer exist in %s, and none of them is created anew. If Takaro lost data, restore it: "+
			"the hold then ends by itself. To create the domains anew, without their data, run: %s",
			held.Held, System(e.Spec.URL), releaseCommand(client.ObjectKeyFromObject(e), held.Token))
	},
	counts: "domains", follows: "The domains are created anew.", over: "No missing domain waits for a release any more.",
}

var deletionKind = holdKind{
	name: v1alpha1.HoldDeletion, reason: v1alpha1.ReasonDeletionsHeld, judge: judgeDeletions,
	message: func(e *v1alpha1.TakaroEndpoint, held v1alpha1.Hold) string {
		return fmt.Sprintf("Domains in %d namespaces were deleted within minutes, and their domains in %s still exist. "+
			"To keep a domain, set deletionPolicy: Retain in the spec of its Domain. If all deletions are intended, run: %s",
			held.Held, System(e.Spec.URL), releaseCommand(client.ObjectKeyFromObject(e), held.Token))
	},
	counts: "namespaces", follows: "The domains are deleted.", over: "No deletion waits for a release any more.",
}

var restartsKind = holdKind{
	name: v1alpha1.HoldRestarts, reason: v1alpha1.ReasonRestartsHeld, judge: judgeRestarts,
	message: func(e *v1alpha1.TakaroEndpoint, held v1alpha1.Hold) string {
		return fmt.Sprintf("%d pods whose game servers %s does not reach are not restarted, because more than half of all game servers are "+
			"unreachable. Check the connector of Takaro. The hold ends by itself when game servers are reached again.",
			held.Held, System(e.Spec.URL))
	},
	counts: "pods", follows: "The pods are restarted.", over: "Pods of unreachable game servers are restarted again.",
}

// verdict is what one hold blocks at one TakaroEndpoint.
type verdict struct {
	// affected contains the names that the hold counts, and held those that wait for a release.
	// Both are sorted.
	affected, held []string
	// token releases held. It is empty for a hold that ends only by itself.
	token string
	// released contains the names that were released and are still affected.
	released []string
	// pending is set if more names may be affected than are known yet.
	pending bool
}

// holds reports whether the name is held.
func (v verdict) holds(name string) bool {
	_, found := slices.BinarySearch(v.held, name)
	return found
}

// holdIn returns the hold of a type, or an empty one if there is none.
func holdIn(status *v1alpha1.TakaroEndpointStatus, name v1alpha1.HoldType) v1alpha1.Hold {
	for _, hold := range status.Holds {
		if hold.Type == name {
			return hold
		}
	}
	return v1alpha1.Hold{Type: name}
}

// HoldDiffers reports whether the hold of a type differs between two versions of a status.
func HoldDiffers(before, after *v1alpha1.TakaroEndpointStatus, name v1alpha1.HoldType) bool {
	return !apiequality.Semantic.DeepEqual(holdIn(before, name), holdIn(after, name))
}

// show sets the verdict in the status. A stored hold does not end while more names may be affected
// than are known: after a restart, it would end for a minute.
func (v verdict) show(status *v1alpha1.TakaroEndpointStatus, name v1alpha1.HoldType) {
	if len(v.held) > 0 || !v.pending || holdIn(status, name).Held == 0 {
		v.apply(status, name)
	}
}

// apply sets the verdict in the status unconditionally.
func (v verdict) apply(status *v1alpha1.TakaroEndpointStatus, name v1alpha1.HoldType) {
	at := slices.IndexFunc(status.Holds, func(hold v1alpha1.Hold) bool { return hold.Type == name })
	if len(v.held) == 0 && len(v.released) == 0 {
		if at >= 0 {
			status.Holds = slices.Delete(status.Holds, at, at+1)
		}
		return
	}
	hold := v1alpha1.Hold{
		Type: name, Token: v.token, Held: int32(len(v.held)),
		Names: slices.Clone(v.held[:min(len(v.held), maxNames)]), Released: v.released,
	}
	if at < 0 {
		status.Holds = append(status.Holds, hold)
		return
	}
	status.Holds[at] = hold
}

// showAll sets all verdicts of a record in the status. Stored holds that this process has not
// judged are kept.
func showAll(status *v1alpha1.TakaroEndpointStatus, verdicts map[v1alpha1.HoldType]verdict) {
	for _, kind := range kinds {
		if v, judged := verdicts[kind.name]; judged {
			v.show(status, kind.name)
		}
	}
}
