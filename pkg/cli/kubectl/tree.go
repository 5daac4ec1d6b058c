// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const treeLong = `Show an object with the objects that were created for it, and with the objects that it references.

Below the object are the objects that it owns (Secrets, StatefulSets and their pods, objects of Roadstead), and the objects
that reference it. Above it are the objects that its spec references. Only objects that you may list are shown. For a
cluster-scoped object, only objects of Roadstead are shown.`

const treeExamples = `  kubectl roadstead tree domain arena -n team-a
  kubectl roadstead tree mockserver/busy`

func (t *tool) tree() *cobra.Command {
	return &cobra.Command{
		Use:     "tree KIND NAME | KIND/NAME",
		Short:   "Show an object with the objects that were created for it",
		Long:    treeLong,
		Example: treeExamples,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			grown, err := c.grow(command.Context(), args, time.Now())
			if err != nil {
				return err
			}
			return t.printTree(grown, time.Now())
		},
		ValidArgsFunction: t.completeObjects,
	}
}

// branch is an object in the tree.
type branch struct {
	title string
	// node is set for objects of Roadstead's kinds.
	node *node
	made time.Time
	// why is the field that references the object above, set if that object is not the owner.
	why      string
	children []*branch
}

// tree is an object with the objects that it references, and all objects below it.
type tree struct {
	above []*branch
	root  *branch
	// notes describe what was not checked.
	notes []string
}

// grow finds all objects around the object that the arguments name.
func (c *cluster) grow(ctx context.Context, args []string, now time.Time) (*tree, error) {
	served, err := discover(ctx, c.discovery)
	if err != nil {
		return nil, err
	}
	wanted, err := targets(args, served.ours())
	if err != nil {
		return nil, err
	}
	if len(wanted) != 1 || wanted[0].name == "" {
		return nil, errors.New("one object is required, as KIND NAME or KIND/NAME")
	}
	in := c.namespace
	if !wanted[0].kind.Namespaced {
		in = metav1.NamespaceAll
	}
	var grown tree
	var v *view
	var others []metav1.PartialObjectMetadata
	var skipped int
	var group errgroup.Group
	group.Go(func() error {
		listings := c.list(ctx, served.ours(), in)
		for _, l := range listings {
			if l.err != nil && l.kind == wanted[0].kind {
				return l.err
			}
			if l.err != nil && !beyond(l, in) {
				grown.notes = append(grown.notes, l.kind.fullName()+" were not checked: "+oneLine(l.err.Error()))
			}
		}
		v = newView(listings, now)
		return nil
	})
	group.Go(func() error {
		others, skipped = c.others(ctx, served, in)
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(v.nodes, wanted[0].matches)
	if at < 0 {
		return nil, errors.New(c.absence(wanted[0]))
	}
	if skipped > 0 {
		grown.notes = append(grown.notes, fmt.Sprintf("%s not checked: you may not list them, or there are too many",
			plural(skipped, "other kind was", "other kinds were")))
	}
	f := newForest(v, others)
	grown.root = f.branch(v.nodes[at], "", map[types.UID]bool{})
	if f.left <= 0 {
		grown.notes = append(grown.notes, fmt.Sprintf("only %d objects are shown", treeLimit))
	}
	for _, l := range v.links(v.nodes[at]) {
		grown.above = append(grown.above, upward(l))
	}
	return &grown, nil
}

// upward returns the branch of a reference, also if the referenced object does not exist.
func upward(l link) *branch {
	b := &branch{title: l.kind.Kind + "/" + l.to.name, why: l.field, node: l.node}
	if l.node != nil {
		b.made = l.node.object.GetCreationTimestamp().Time
	}
	return b
}

// others lists the metadata of all other kinds of a namespace concurrently, and counts the kinds
// that it could not list.
func (c *cluster) others(ctx context.Context, served *catalog, namespace string) (found []metav1.PartialObjectMetadata, skipped int) {
	if namespace == metav1.NamespaceAll {
		return nil, 0
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	var lock sync.Mutex
	for _, k := range served.all {
		// Events have no owners.
		if !k.Namespaced || k.ours() || !k.can("list") || k.Kind == "Event" {
			continue
		}
		group.Go(func() error {
			items, cut, err := c.partials(ctx, k, namespace)
			for i := range items {
				items[i].Kind = k.Kind // the items of a list may have no kind
			}
			lock.Lock()
			defer lock.Unlock()
			found = append(found, items...)
			if cut || err != nil && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
				skipped++
			}
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	return found, skipped
}
