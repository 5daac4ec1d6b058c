// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// key identifies one object of Roadstead's kinds.
type key struct{ kind, namespace, name string }

// node is one object of Roadstead's kinds with its state.
type node struct {
	kind   *kind
	object *unstructured.Unstructured
	readiness
}

func (n *node) key() key {
	return key{n.kind.fullName(), n.object.GetNamespace(), n.object.GetName()}
}

// title returns the object in the form Domain/arena.
func (n *node) title() string { return n.kind.Kind + "/" + n.object.GetName() }

// spec returns the spec of the object.
func (n *node) spec() any { return n.object.Object["spec"] }

// view contains all listed objects of Roadstead's kinds.
type view struct {
	kinds []*kind
	// nodes are in the order of the listings.
	nodes    []*node
	byKey    map[key]*node
	complete map[string]bool // by the full name of the kind
}

func newView(listings []*listing, now time.Time) *view {
	v := &view{byKey: map[key]*node{}, complete: map[string]bool{}}
	for _, l := range listings {
		v.kinds = append(v.kinds, l.kind)
		v.complete[l.kind.fullName()] = l.complete()
		for i := range l.items {
			n := &node{kind: l.kind, object: &l.items[i], readiness: assess(l.kind, &l.items[i], now)}
			v.nodes = append(v.nodes, n)
			v.byKey[n.key()] = n
		}
	}
	return v
}

// link is a reference from an object to an object of Roadstead's kinds.
type link struct {
	reference
	to key
	// kind is the kind of the other object.
	kind *kind
	// node is the other object, nil if it was not listed.
	node *node
}

// links returns the references in an object's spec to Roadstead's kinds.
func (v *view) links(from *node) []link {
	var found []link
	for _, ref := range referencesIn(from.spec(), "spec") {
		if ref.secret() {
			continue
		}
		k := ref.kindOf(from.kind, v.kinds)
		if k == nil {
			continue
		}
		l := link{reference: ref, kind: k, to: key{kind: k.fullName(), name: ref.name}}
		if k.Namespaced {
			l.to.namespace = ref.namespace
			if l.to.namespace == "" {
				l.to.namespace = from.object.GetNamespace()
			}
		}
		l.node = v.byKey[l.to]
		found = append(found, l)
	}
	return found
}

// missing reports whether the other object does not exist, as opposed to not being listed.
func (v *view) missing(from *node, l link) bool {
	listed := !l.kind.Namespaced || l.to.namespace == from.object.GetNamespace()
	return l.node == nil && listed && v.complete[l.to.kind]
}

// waitsFor reports whether an object is not ready because of the other one. By the conventions of
// the API, its reason then begins with the kind of the other object (DomainNotReady) or equals the
// reason of the other object (both have the same problem), or its message names the other object.
// An object that is being deleted does not wait for other objects.
func (v *view) waitsFor(n *node, l link) bool {
	if v.namedBy(n.reason) == l.kind {
		return true
	}
	if n.object.GetDeletionTimestamp() != nil {
		return false
	}
	return l.node != nil && n.reason == l.node.reason || strings.Contains(n.message, fmt.Sprintf("%s %q", l.kind.Kind, l.to.name))
}

// namedBy returns the kind with which a reason begins. The longest name counts:
// OperatorVersionNotFound is not about an Operator.
func (v *view) namedBy(reason string) *kind {
	var found *kind
	for _, k := range v.kinds {
		if strings.HasPrefix(reason, k.Kind) && (found == nil || len(k.Kind) > len(found.Kind)) {
			found = k
		}
	}
	return found
}
