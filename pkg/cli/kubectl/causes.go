// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// finding is one problem, with all objects that wait for it.
type finding struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Phase     string `json:"phase,omitempty"`
	Reason    string `json:"reason"`
	Message   string `json:"message"`
	// Since is when the problem started, if known.
	Since *time.Time `json:"since,omitempty"`
	// Waiting names the objects that are not ready because of this one, as KIND/NAME.
	Waiting []string `json:"waiting,omitempty"`
	// Alike names objects of the same kind with the same message, as KIND/NAME.
	Alike []string `json:"alike,omitempty"`

	// nodes are the objects that the finding is about: the cause itself, and those that wait.
	nodes []*node
}

// causes returns one finding for each root cause: objects that wait for another one are counted
// there.
func causes(v *view) []*finding {
	byKey := map[key]*finding{}
	var found []*finding
	for _, n := range v.nodes {
		if n.ready {
			continue
		}
		cause := v.causeOf(n)
		f := byKey[cause.key]
		if f == nil {
			f = cause.finding()
			byKey[cause.key] = f
			found = append(found, f)
		}
		if f.nodes = append(f.nodes, n); cause.key != n.key() {
			f.Waiting = append(f.Waiting, n.title())
		}
	}
	for _, f := range found {
		slices.Sort(f.Waiting)
	}
	sortFindings(found)
	return joinAlike(found)
}

// joinAlike combines findings with the same message in the same namespace: an unavailable Redis is
// one problem, however many objects use it.
func joinAlike(all []*finding) []*finding {
	type words struct{ namespace, kind, reason, message string }
	first := map[words]*finding{}
	var joined []*finding
	for _, f := range all {
		says := words{f.Namespace, f.Kind, f.Reason, f.Message}
		one := first[says]
		if one == nil {
			first[says] = f
			joined = append(joined, f)
			continue
		}
		one.Alike = append(one.Alike, f.title())
		one.Waiting = append(one.Waiting, f.Waiting...)
		one.nodes = append(one.nodes, f.nodes...)
		slices.Sort(one.Waiting)
	}
	return joined
}

// cause is the object that causes a problem: a listed one, or one that does not exist.
type cause struct {
	key  key
	node *node
	// absent is the reference to the object that does not exist.
	absent *link
	from   *node
}

// causeOf follows references while the referenced object causes the problem. It stops at an object
// that is part of a cycle.
func (v *view) causeOf(n *node) cause {
	seen := map[key]bool{}
	for current := n; ; {
		seen[current.key()] = true
		next, absent := v.blame(current)
		switch {
		case absent != nil:
			return cause{key: absent.to, absent: absent, from: current}
		case next == nil:
			return cause{key: current.key(), node: current}
		case seen[next.key()]:
			return cause{key: n.key(), node: n}
		}
		current = next
	}
}

// blame returns what a node waits for: another node, or a reference to a missing object; neither if
// the node itself is the cause.
func (v *view) blame(n *node) (*node, *link) {
	for _, l := range v.links(n) {
		switch {
		case !v.waitsFor(n, l):
		case v.missing(n, l):
			return nil, &l
		case l.node != nil && !l.node.ready:
			return l.node, nil
		}
	}
	return nil, nil
}

func (c cause) finding() *finding {
	if c.node == nil {
		return &finding{Kind: c.absent.kind.Kind, Namespace: c.key.namespace, Name: c.key.name, Reason: reasonNotFound,
			Message: fmt.Sprintf("it does not exist, but %s of %s references it; create it, or correct the reference",
				c.absent.field, c.from.title())}
	}
	f := &finding{Kind: c.node.kind.Kind, Namespace: c.key.namespace, Name: c.key.name, Phase: c.node.phase,
		Reason: c.node.reason, Message: c.node.message}
	if !c.node.since.IsZero() {
		f.Since = &c.node.since
	}
	return f
}

// asideLimit is the maximum number of notes about objects that are ready.
const asideLimit = 10

// asides returns notes about conditions that are False although their object is ready: no object
// waits for them, but they may be of interest. wanted restricts the objects; all if it is empty.
func asides(v *view, wanted []target) []string {
	var notes []string
	more := 0
	for _, n := range v.nodes {
		named := len(wanted) == 0 || slices.ContainsFunc(wanted, func(w target) bool { return w.matches(n) })
		for _, c := range conditionsOf(n.object) {
			switch {
			case !n.ready || !named || c.Status != metav1.ConditionFalse:
			case len(notes) == asideLimit:
				more++
			default:
				notes = append(notes, oneLine(fmt.Sprintf("%s is ready, but %s is not: %s: %s", n.title(), c.Type, c.Reason, c.Message)))
			}
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%d more conditions of objects that are ready are False", more))
	}
	return notes
}

func sortFindings(all []*finding) {
	slices.SortStableFunc(all, func(a, b *finding) int {
		return slices.Compare([]string{a.Namespace, a.Kind, a.Name}, []string{b.Namespace, b.Kind, b.Name})
	})
}

func (f *finding) title() string { return f.Kind + "/" + f.Name }

// sentence returns the message with the other objects that have the same problem, and the number of
// waiting objects.
func (f *finding) sentence() string {
	const shown = 3
	text := f.Message
	if n := len(f.Alike); n > shown {
		text += fmt.Sprintf(" (also: %s and %d more)", strings.Join(f.Alike[:shown], ", "), n-shown)
	} else if n > 0 {
		text += fmt.Sprintf(" (also: %s)", strings.Join(f.Alike, ", "))
	}
	if n := len(f.Waiting); n > 0 {
		text += fmt.Sprintf(" (%s for it)", plural(n, "more waits", "more wait"))
	}
	return text
}

// some returns at most ten names.
func some(titles []string) string {
	const shown = 10
	if len(titles) > shown {
		return strings.Join(titles[:shown], ",") + fmt.Sprintf(",... (%d)", len(titles))
	}
	return strings.Join(titles, ",")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
