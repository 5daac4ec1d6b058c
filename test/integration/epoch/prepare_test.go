// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	typed "roadstead.dev/roadstead/pkg/generated/clientset/versioned/typed/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

const (
	// namespace contains all objects that the witnesses watch.
	namespace = "team"
	// of is the label that names the timeline of an object.
	of      = "timeline"
	current = "current"
	// gone is a Domain that was deleted after the copies were taken.
	gone = "gone"
	// scratch is a Domain that the witnesses write to.
	scratch = "scratch"
)

var (
	// kept are Domains in every store except the empty one, with different content.
	kept = []string{"kept-1", "kept-2", "kept-3"}
	// late are Domains that were created after the copies were taken.
	late = []string{"late-1", "late-2"}
)

// timeline is the content of the right store, by name. Each object has the label of the current
// timeline.
type timeline map[string]types.UID

// check returns an error if an object in a response is wrong.
func (l timeline) check(domain *v1alpha1.Domain) error {
	uid, known := l[domain.Name]
	if !known || uid != domain.UID || domain.Labels[of] != current {
		return fmt.Errorf("Domain %s (UID %s, timeline %s) is of a wrong store", domain.Name, domain.UID, domain.Labels[of])
	}
	return nil
}

// complete returns an error if a name is missing.
func (l timeline) complete(names map[string]bool) error {
	for name := range l {
		if !names[name] {
			return fmt.Errorf("Domain %s is reported absent", name)
		}
	}
	return nil
}

// prepare fills the foreign store, initializes the right one, and copies it before its last
// changes.
func prepare(ctx context.Context, later func(func() error)) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	clients, err := versioned.NewForConfig(env.Cluster.AdminConfig())
	if err != nil {
		return err
	}
	domains := clients.TakaroV1alpha1().Domains(namespace)
	team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := env.Admin.CoreV1().Namespaces().Create(ctx, team, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := create(ctx, domains, "foreign", slices.Concat(kept, late, []string{gone, scratch})...); err != nil {
		return err
	}
	// The recorded revision of the foreign store is higher than any revision of right.
	if err := stores.foreign.Grow(ctx, growth); err != nil {
		return err
	}
	if _, err := create(ctx, domains, "foreign", "stranger"); err != nil {
		return err
	}
	if err := begin(ctx); err != nil {
		return err
	}
	if truth, err = create(ctx, domains, "older", append(slices.Clone(kept), gone)...); err != nil {
		return err
	}
	if err := stores.copies(ctx, later); err != nil {
		return err
	}
	if err := change(ctx, domains); err != nil {
		return err
	}
	return settle(ctx)
}

// begin initializes the right store in a cluster without a record of a store.
func begin(ctx context.Context) error {
	server := replicas(1)
	if err := stop(server); err != nil {
		return err
	}
	if err := env.ForgetStore(ctx); err != nil {
		return err
	}
	for _, link := range links {
		link.Redirect(stores.right.Address())
	}
	if err := server[0].Start(ctx); err != nil {
		return err
	}
	return env.Roadstead.AwaitAvailable(ctx)
}

// change changes the right store after the copies were taken.
func change(ctx context.Context, domains typed.DomainInterface) error {
	// The server has just lost its connection to etcd.
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := domains.List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	for _, name := range kept {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, of, current)
		if _, err := domains.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	if err := domains.Delete(ctx, gone, metav1.DeleteOptions{}); err != nil {
		return err
	}
	delete(truth, gone)
	created, err := create(ctx, domains, current, append(slices.Clone(late), scratch)...)
	for name, uid := range created {
		truth[name] = uid
	}
	if err != nil {
		return err
	}
	return stores.grow(ctx)
}

// settle stops the servers cleanly, which records the last changes in the cluster, and starts all
// replicas.
func settle(ctx context.Context) error {
	server := replicas(1)
	if err := stop(server); err != nil {
		return err
	}
	if err := errors.Join(stores.verify(ctx), server[0].Start(ctx)); err != nil {
		return err
	}
	if _, err := env.Roadstead.AddAPIServer(ctx); err != nil {
		return err
	}
	if err := env.Roadstead.AwaitAvailable(ctx); err != nil {
		return err
	}
	return createDependents(ctx)
}

// create creates Domains of a timeline and returns their UIDs.
func create(ctx context.Context, domains typed.DomainInterface, timelineOf string, names ...string) (timeline, error) {
	created := timeline{}
	for _, name := range names {
		// The aggregation layer may not consider a newly started server available yet.
		err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			domain, err := domains.Create(ctx, &v1alpha1.Domain{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{of: timelineOf}},
				Spec:       v1alpha1.DomainSpec{TakaroAPIURL: "https://api.takaro.test"},
			}, metav1.CreateOptions{})
			if apierrors.IsServiceUnavailable(err) {
				return false, nil
			}
			created[name] = domain.UID
			return err == nil, err
		})
		if err != nil {
			return created, fmt.Errorf("create Domain %s: %w", name, err)
		}
	}
	return created, nil
}

// position returns the revision of an etcd, for comparisons.
func position(ctx context.Context, etcd *framework.Etcd) (int64, error) {
	revision, _, err := etcd.Position(ctx)
	return revision, err
}
