// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// AcceptAnnotation on a TakaroEndpoint accepts the Takaro, or the holder, that was found there. Its
// value is the token in the message of the condition Ready. The controller removes the annotation
// once it has read it.
const AcceptAnnotation = "roadstead.dev/accept-identity"

// accepts reports whether an acceptance is stored.
func accepts(e *v1alpha1.TakaroEndpoint) bool { return e.Annotations[AcceptAnnotation] != "" }

// makeAnchor creates the anchor. It returns nil without an error if another process was faster, or
// if Takaro is at its limit of concurrent creates: the next check continues.
func (k *Keeper) makeAnchor(ctx context.Context, e *v1alpha1.TakaroEndpoint, c *takaro.Client) (*takaro.Domain, error) {
	release, err := c.CreateSlot(ctx)
	if errors.Is(err, takaro.ErrNoSlot) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer release()
	created, err := c.CreateDomain(ctx, takaro.DomainInput{
		Name:              anchor.Name(e.Status.Installation, k.holder),
		ExternalReference: anchor.Reference(e.Status.Installation),
		State:             takaro.StateDisabled,
		MaxGameservers:    ptr.To[int64](0),
		MaxUsers:          ptr.To[int64](0),
	})
	switch {
	case takaro.IsConflict(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("creating the anchor: %w", err)
	}
	return &created.Domain, nil
}

// record stores the identity. If a user accepted a different identity, the domains that do not
// exist there are released: they are created again.
func (k *Keeper) record(ctx context.Context, e *v1alpha1.TakaroEndpoint, identity anchor.Identity) (*v1alpha1.TakaroEndpoint, error) {
	at := client.ObjectKeyFromObject(e)
	if former := identityOf(e); !accepts(e) || former != nil && *former == identity {
		return k.update(ctx, at, func(e *v1alpha1.TakaroEndpoint) { e.Status.Anchor = recorded(identity) })
	}
	owned, err := k.heldAt(ctx, e)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(owned))
	for _, one := range owned {
		names = append(names, one.object.String())
	}
	return k.releaseNames(ctx, at, names, func(e *v1alpha1.TakaroEndpoint) { e.Status.Anchor = recorded(identity) })
}

// reportIdentity stores what a user must know about the identity, and removes an acceptance that
// was carried out or is invalid.
func (k *Keeper) reportIdentity(ctx context.Context, e *v1alpha1.TakaroEndpoint, d anchor.Decision, found anchor.Look) error {
	k.mu.Lock()
	leads := k.process().Leads
	k.mu.Unlock()
	if !leads {
		return nil
	}
	e, err := k.update(ctx, client.ObjectKeyFromObject(e), func(e *v1alpha1.TakaroEndpoint) {
		switch {
		case e.Status.Anchor == nil:
		case d.State == anchor.Verified:
			e.Status.Anchor.HeldBy = ""
		case d.State == anchor.HeldByOther && found.Anchor != nil:
			e.Status.Anchor.HeldBy = anchor.HolderOrUnreadable(found.Anchor.Holder)
		}
	})
	if err != nil {
		return err
	}
	token := e.Annotations[AcceptAnnotation]
	if token == "" || d.State == anchor.Verifying || token == d.Token {
		return nil
	}
	removed, err := k.removeAnnotation(ctx, e, AcceptAnnotation, token)
	if err == nil && removed && d.State != anchor.Verified {
		k.event(e, corev1.EventTypeWarning, eventAcceptRefused,
			fmt.Sprintf("Token %q does not accept what is found now. %s", token, identityMessage(e, d, found.Anchor)))
	}
	return err
}

// removeAnnotation removes an annotation if it still has the value, and reports whether it did.
func (k *Keeper) removeAnnotation(ctx context.Context, e *v1alpha1.TakaroEndpoint, name, value string) (bool, error) {
	current := &v1alpha1.TakaroEndpoint{}
	if err := k.Live.Get(ctx, client.ObjectKeyFromObject(e), current); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if set, exists := current.Annotations[name]; !exists || set != value {
		return false, nil // the watch reports the other value
	}
	delete(current.Annotations, name)
	if err := k.Client.Update(ctx, current); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	*e = *current
	return true, nil
}

// standing returns the identity state for the objects at a TakaroEndpoint. The caller must hold mu.
func (k *Keeper) standing(e *v1alpha1.TakaroEndpoint) (ownership.Endpoint, error) {
	at := client.ObjectKeyFromObject(e)
	known := ownership.Endpoint{Name: System(e.Spec.URL), Verified: k.verified(at), LeaderSince: k.since}
	s := k.sights[at]
	if known.Verified || s == nil {
		return known, nil
	}
	if waitsForPerson(s.decision.State) {
		known.Reason, known.Message = string(s.decision.State), identityMessage(e, s.decision, s.found)
		return known, nil
	}
	return known, s.failed
}

// waitsForPerson reports whether the state ends only when a user accepts it, or when the former
// Takaro returns.
func waitsForPerson(state anchor.State) bool {
	return state == anchor.HeldByOther || state == anchor.IdentityChanged
}

func identityMessage(e *v1alpha1.TakaroEndpoint, d anchor.Decision, found *anchor.Anchor) string {
	command := fmt.Sprintf("kubectl annotate takaroendpoints.takaro.roadstead.dev %s -n %s %s=%s --overwrite",
		e.Name, e.Namespace, AcceptAnnotation, d.Token)
	if d.State == anchor.HeldByOther {
		return fmt.Sprintf("Another installation changes %s: a copy of this cluster, or one with the same --installation %q. Anchor "+
			"%s is held by %s. "+
			"Nothing is changed there from here. If the other installation was ended for good, take over with: %s",
			System(e.Spec.URL), e.Status.Installation, e.Status.Anchor.ID, holderOf(found), command)
	}
	seen := "no anchor of this installation"
	if found != nil {
		seen = "anchor " + found.ID
	}
	former := "an installation without a recorded anchor"
	if e.Status.Anchor != nil {
		former = "anchor " + e.Status.Anchor.ID
	}
	return fmt.Sprintf("%s is another one than before, or has another database: %s was recorded, %s is found. Nothing is changed there. "+
		"When the former one answers again, this ends by itself. To use the present one, where missing domains are created anew "+
		"without their data, run: %s",
		System(e.Spec.URL), former, seen, command)
}

func holderOf(found *anchor.Anchor) string {
	if found == nil {
		return anchor.HolderOrUnreadable("")
	}
	return anchor.HolderOrUnreadable(found.Holder)
}

// unidentified returns the reason and message of the condition Ready for the identity, or empty
// strings if the identity is verified or not known to differ. After a restart, the stored reason
// and message are kept until the identity is known.
func (k *Keeper) unidentified(e *v1alpha1.TakaroEndpoint) (reason, message string) {
	if !k.identified() {
		return "", ""
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.sights[client.ObjectKeyFromObject(e)]
	switch {
	case s != nil && waitsForPerson(s.decision.State):
		return string(s.decision.State), identityMessage(e, s.decision, s.found)
	case s != nil && s.decision.State == anchor.Verified:
		return "", ""
	}
	ready := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionReady)
	if ready != nil && waitsForPerson(anchor.State(ready.Reason)) {
		return ready.Reason, ready.Message
	}
	return "", ""
}

// notifyIdentity emits events for changes of the identity.
func (k *Keeper) notifyIdentity(before *metav1.Condition, e *v1alpha1.TakaroEndpoint) {
	after := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionReady)
	was := before != nil && waitsForPerson(anchor.State(before.Reason))
	is := after != nil && waitsForPerson(anchor.State(after.Reason))
	switch {
	case is && (!was || before.Message != after.Message):
		k.event(e, corev1.EventTypeWarning, after.Reason, after.Message)
	case was && !is:
		k.event(e, corev1.EventTypeNormal, eventVerified, fmt.Sprintf("%s is the recorded one, and this installation writes there.",
			System(e.Spec.URL)))
	}
}
