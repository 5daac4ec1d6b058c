// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// key names one object of our kinds.
type key struct{ kind, namespace, name string }

// node is one object of our kinds with what it says about itself.
type node struct {
	kind   *kind
	object *unstructured.Unstructured
	readiness
}

func (n *node) key() key {
	return key{n.kind.fullName(), n.object.GetNamespace(), n.object.GetName()}
}

// title is how people see it: Domain/arena.
func (n *node) title() string { return n.kind.Kind + "/" + n.object.GetName() }

// spec is the part of the object that people write.
func (n *node) spec() any { return n.object.Object["spec"] }

// view is all objects of our kinds that were listed.
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

// link is a reference from an object to another one of our kinds.
type link struct {
	reference
	to key
	// kind is that of the other object.
	kind *kind
	// node is the other object, nil when it was not listed.
	node *node
}

// links are the references in an object's spec to our kinds.
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

// missing tells that the other object is not there, and not only outside of what was listed.
func (v *view) missing(from *node, l link) bool {
	listed := !l.kind.Namespaced || l.to.namespace == from.object.GetNamespace()
	return l.node == nil && listed && v.complete[l.to.kind]
}

// waitsFor tells whether an object that is not ready is so because of the other one. By the conventions of the API a reason
// then begins with the other's kind (DomainNotReady) or is the same as the other's (both meet the same trouble), or the
// message names the other. An object that is being deleted waits for its own end, whatever it names.
func (v *view) waitsFor(n *node, l link) bool {
	if v.namedBy(n.reason) == l.kind {
		return true
	}
	if n.object.GetDeletionTimestamp() != nil {
		return false
	}
	return l.node != nil && n.reason == l.node.reason || strings.Contains(n.message, fmt.Sprintf("%s %q", l.kind.Kind, l.to.name))
}

// namedBy is the kind with which a reason begins. The longest counts: OperatorVersionNotFound is not about an Operator.
func (v *view) namedBy(reason string) *kind {
	var found *kind
	for _, k := range v.kinds {
		if strings.HasPrefix(reason, k.Kind) && (found == nil || len(k.Kind) > len(found.Kind)) {
			found = k
		}
	}
	return found
}
