// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

const (
	// patient is the timeout of runs that must succeed on a loaded machine.
	patient              = 5 * time.Second
	controllersFinalizer = "takaro.roadstead.dev/takaro-endpoint"
	anchorStays          = "The anchor of the installation stays in Takaro at https://takaro.example: domain anchor-1,"
)

// anchored returns a TakaroEndpoint with an anchor and two domains that were left.
func anchored(namespace string) *takarov1alpha1.TakaroEndpoint {
	return &takarov1alpha1.TakaroEndpoint{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "takaro", UID: types.UID("uid-" + namespace), Finalizers: []string{controllersFinalizer},
		},
		Spec: takarov1alpha1.TakaroEndpointSpec{URL: "https://takaro.example"},
		Status: takarov1alpha1.TakaroEndpointStatus{
			Anchor: &takarov1alpha1.Anchor{ID: "anchor-1"},
			Left:   []takarov1alpha1.LeftDomain{{ID: "left-1", Object: "team/arena"}, {ID: "left-2", Object: "team/other"}},
		},
	}
}

// working simulates a controller that removes its finalizer from TakaroEndpoints that are being
// deleted, before each list of them. It deletes the anchors of those in the given namespaces.
func (w *world) working(deletes ...string) {
	cluster := w.run.client
	w.run.client = interceptor.NewClient(cluster.(client.WithWatch), interceptor.Funcs{List: func(
		ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption,
	) error {
		if strings.HasPrefix(list.GetObjectKind().GroupVersionKind().Kind, "TakaroEndpoint") {
			found := &takarov1alpha1.TakaroEndpointList{}
			require.NoError(w.t, c.List(ctx, found))
			for i := range found.Items {
				e := &found.Items[i]
				if e.DeletionTimestamp == nil || !slices.Contains(e.Finalizers, controllersFinalizer) {
					continue
				}
				if slices.Contains(deletes, e.Namespace) {
					e.Status.Anchor = nil
				}
				e.Finalizers = slices.DeleteFunc(e.Finalizers, func(name string) bool { return name == controllersFinalizer })
				require.NoError(w.t, c.Update(ctx, e))
			}
		}
		return c.List(ctx, list, options...)
	}})
}

func TestDeleteAll_NamesWhatStaysInTakaro(t *testing.T) {
	for name, c := range map[string]struct {
		endpoints []string
		deletes   []string
		stays     bool
	}{
		"the anchor is deleted":                      {[]string{"team"}, []string{"team"}, false},
		"without credentials":                        {[]string{"team"}, nil, true},
		"deleted with the last of two":               {[]string{"team", "other"}, []string{"other"}, false},
		"neither of two has credentials":             {[]string{"team", "other"}, nil, true},
		"no TakaroEndpoint, as nothing uses Takaro ": {nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			objects := installed()
			for _, namespace := range c.endpoints {
				objects = append(objects, anchored(namespace))
			}
			w := newWorld(t, deleteAll, objects...)
			w.run.timeout = patient
			w.working(c.deletes...)
			require.NoError(t, w.run.run(t.Context()))
			out := w.out.String()
			assert.Equal(t, c.stays, strings.Contains(out, anchorStays), out)
			assert.LessOrEqual(t, strings.Count(out, "The anchor of"), 1)
			for _, namespace := range c.endpoints {
				assert.False(t, w.has(&takarov1alpha1.TakaroEndpoint{}, namespace, "takaro"))
				assert.Equal(t, 1, strings.Count(out, "takaroendpoints.takaro.roadstead.dev "+namespace+"/takaro lists 2 domains left in Takaro"), out)
			}
			assert.Equal(t, len(c.endpoints), strings.Count(out, "domain left-2 of Domain team/other"))
		})
	}
}

// TestDeleteAll_ReadsTheLastStatus: the controller itself deletes a TakaroEndpoint that is not
// used.
func TestDeleteAll_ReadsTheLastStatus(t *testing.T) {
	w := newWorld(t, deleteAll, append(installed(), anchored("team"), domain("arena", "takaro.roadstead.dev/domain"))...)
	w.working("team")
	require.ErrorContains(t, w.run.run(t.Context()), "1 Domain")
	found := &takarov1alpha1.TakaroEndpoint{}
	require.True(t, w.has(found, "team", "takaro"))
	require.Contains(t, found.Finalizers, endpointFinalizer)
	require.NoError(t, w.run.client.Delete(t.Context(), found))
	w.working("team")
	arena := &takarov1alpha1.Domain{}
	require.True(t, w.has(arena, "demo", "arena"))
	arena.Finalizers = nil
	require.NoError(t, w.run.client.Update(t.Context(), arena))
	w.out.Reset()
	w.run.anchors, w.run.timeout = anchors{}, patient // another run
	require.NoError(t, w.run.run(t.Context()))
	assert.NotContains(t, w.out.String(), "The anchor of")
	assert.False(t, w.has(found, "team", "takaro"))
}

func TestOrphan_NamesAnchorsThatNoControllerDeletes(t *testing.T) {
	w := newWorld(t, orphan, append(installed(), anchored("team"), userObject("ann"))...)
	w.run.timeout = patient
	require.NoError(t, w.run.run(t.Context()))
	assert.Contains(t, w.out.String(), anchorStays)
	assert.Contains(t, w.out.String(), "domain left-1 of Domain team/arena")
	assert.False(t, w.has(&takarov1alpha1.TakaroEndpoint{}, "team", "takaro"))
}

func TestStrip_KeepsEndpointsAndSaysNothing(t *testing.T) {
	stored := anchored("team")
	stored.Finalizers = append(stored.Finalizers, endpointFinalizer) // from an interrupted run
	w := newWorld(t, strip, append(installed(), stored)...)
	require.NoError(t, w.run.run(t.Context()))
	assert.NotContains(t, w.out.String(), "The anchor of")
	require.True(t, w.has(stored, "team", "takaro"))
	assert.Empty(t, stored.Finalizers)
}
