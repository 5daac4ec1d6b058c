// SPDX-License-Identifier: Apache-2.0

//go:build integration

package orphans

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	typed "roadstead.dev/roadstead/pkg/generated/clientset/versioned/typed/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

const (
	// racesAtOnce is the number of namespaces that are created and deleted concurrently.
	racesAtOnce = 8
	// creators is the number of clients that create objects in each namespace.
	creators = 4
	// raceEvery is the interval between two creates of one client.
	raceEvery = 10 * time.Millisecond
)

// TestC02NoOrphans repeatedly races creates with the deletion of their namespace. Objects that are
// created too late must be deleted (kubernetes/kubernetes#49027).
func TestC02NoOrphans(t *testing.T) {
	ensureRecord(t)
	running := startController(t)
	running.awaitSaid(saidWatching, 1)
	prefix := env.Name("race") + "-"
	objects := api(t)
	begin, done, created := time.Now(), 0, &atomic.Int64{}
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(racesAtOnce)
	for round := range raceRounds {
		if time.Since(begin) > raceLimit || ctx.Err() != nil {
			break
		}
		done++
		group.Go(func() error { return race(ctx, objects, fmt.Sprintf("%s%d", prefix, round), created) })
	}
	require.NoError(t, group.Wait())
	t.Logf("%d rounds, %d Domains made", done, created.Load())
	framework.Await(t, "the end of every Domain of a namespace that is gone", func() error {
		list, err := objects.Domains(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			if strings.HasPrefix(list.Items[i].Namespace, prefix) {
				return fmt.Errorf("Domain %s/%s is left", list.Items[i].Namespace, list.Items[i].Name)
			}
		}
		return nil
	})
	if swept, err := running.metric(deletedDomains); err == nil {
		t.Logf("%v of them were orphans", swept)
	}
}

// race creates a namespace, creates objects in it until it no longer exists, and deletes it
// meanwhile.
func race(ctx context.Context, objects typed.TakaroV1alpha1Interface, namespace string, created *atomic.Int64) error {
	namespaces := env.Admin.CoreV1().Namespaces()
	if _, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		metav1.CreateOptions{}); err != nil {
		return err
	}
	racing, end := context.WithCancel(ctx)
	defer end()
	var group errgroup.Group
	for range creators {
		group.Go(func() error {
			// A request in flight is completed, because an aborted one would be logged by the
			// server.
			return wait.PollUntilContextCancel(racing, raceEvery, true, func(context.Context) (bool, error) {
				_, err := objects.Domains(namespace).Create(ctx, unconfigured(), metav1.CreateOptions{})
				switch {
				case err == nil:
					created.Add(1)
				case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
					// The namespace is terminating or no longer exists.
				case ctx.Err() == nil:
					return false, err
				}
				return false, nil
			})
		})
	}
	if err := namespaces.Delete(ctx, namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	err := wait.PollUntilContextTimeout(ctx, raceEvery, framework.Limit, true, func(ctx context.Context) (bool, error) {
		_, err := namespaces.Get(ctx, namespace, metav1.GetOptions{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("namespace %s does not go: %w", namespace, err)
	}
	end()
	if err := group.Wait(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
