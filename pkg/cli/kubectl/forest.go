// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// forest contains the objects below each object.
type forest struct {
	view  *view
	owned map[types.UID][]*node
	other map[types.UID][]*metav1.PartialObjectMetadata
	// referring are the objects whose spec references an object.
	referring map[key][]referrer
	// left is the remaining number of objects to show. Objects with several owners are shown below
	// each of them.
	left int
}

const treeLimit = 2000

type referrer struct {
	node  *node
	field string
}

func newForest(v *view, others []metav1.PartialObjectMetadata) *forest {
	f := &forest{view: v, owned: map[types.UID][]*node{}, other: map[types.UID][]*metav1.PartialObjectMetadata{},
		referring: map[key][]referrer{}, left: treeLimit}
	for _, n := range v.nodes {
		for _, owner := range n.object.GetOwnerReferences() {
			f.owned[owner.UID] = append(f.owned[owner.UID], n)
		}
		for _, l := range v.links(n) {
			f.referring[l.to] = append(f.referring[l.to], referrer{n, l.field})
		}
	}
	for i := range others {
		for _, owner := range others[i].OwnerReferences {
			f.other[owner.UID] = append(f.other[owner.UID], &others[i])
		}
	}
	return f
}

// branch adds an object of Roadstead's kinds with all objects below it. An object with two owners
// is below both. On a path each object occurs once, so cycles end.
func (f *forest) branch(n *node, why string, way map[types.UID]bool) *branch {
	b := &branch{title: n.title(), node: n, made: n.object.GetCreationTimestamp().Time, why: why}
	f.left--
	uid := n.object.GetUID()
	way[uid] = true
	below := map[types.UID]bool{}
	for _, child := range f.owned[uid] {
		if id := child.object.GetUID(); f.left > 0 && !way[id] && !below[id] {
			below[id] = true
			b.children = append(b.children, f.branch(child, "", way))
		}
	}
	for _, from := range f.referring[n.key()] {
		if id := from.node.object.GetUID(); f.left > 0 && !way[id] && !below[id] {
			below[id] = true
			b.children = append(b.children, f.branch(from.node, from.field, way))
		}
	}
	b.children = append(b.children, f.leaves(uid, way)...)
	delete(way, uid)
	slices.SortStableFunc(b.children, func(a, b *branch) int { return strings.Compare(a.title, b.title) })
	return b
}

// leaves adds the objects of other kinds below an owner.
func (f *forest) leaves(owner types.UID, way map[types.UID]bool) []*branch {
	var found []*branch
	below := map[types.UID]bool{}
	for _, item := range f.other[owner] {
		// Two groups may serve the same object.
		if f.left <= 0 || way[item.UID] || below[item.UID] {
			continue
		}
		f.left--
		below[item.UID], way[item.UID] = true, true
		b := &branch{title: item.Kind + "/" + item.Name, made: item.CreationTimestamp.Time, children: f.leaves(item.UID, way)}
		delete(way, item.UID)
		slices.SortStableFunc(b.children, func(a, b *branch) int { return strings.Compare(a.title, b.title) })
		found = append(found, b)
	}
	return found
}
