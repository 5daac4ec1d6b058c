// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// An object of a kind that is not served is created after the first count.
func TestRun_ReadsTheInventoryAgainBeforeTheStoreIsDeleted(t *testing.T) {
	w := newWorld(t, refuse, installed()...)
	first, reads := w.run.inventory, 0
	w.run.inventory = func(ctx context.Context, each func(storeidentity.InventoryObject) error) (storeidentity.InventoryHeader, error) {
		if reads++; reads > 1 {
			if err := each(storeidentity.InventoryObject{Group: "old.roadstead.dev", Resource: "things", Namespace: "team", Name: "a"}); err != nil {
				return storeidentity.InventoryHeader{}, err
			}
		}
		return first(ctx, each)
	}
	require.ErrorContains(t, w.run.run(t.Context()), "the store is not empty: things.old.roadstead.dev team/a was created meanwhile")
	require.True(t, w.has(&corev1.PersistentVolumeClaim{}, system, "data-roadstead-apiserver-0"))
	require.True(t, w.has(&corev1.Secret{}, system, encryptionSecret))
	require.NotContains(t, w.writes, "delete APIService v1alpha1.takaro.roadstead.dev")
}

func endpointWith(token string) *takarov1alpha1.TakaroEndpoint {
	return &takarov1alpha1.TakaroEndpoint{
		ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "takaro"},
		Status:     takarov1alpha1.TakaroEndpointStatus{Holds: []takarov1alpha1.Hold{{Type: takarov1alpha1.HoldVanished, Token: token, Held: 4}}},
	}
}

func TestDeleteAll_ReleasesHolds(t *testing.T) {
	objects := without(installed(), identityMap)
	record := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: identityMap,
		Annotations: map[string]string{orphans.HoldAnnotation: `{"type":"NamespaceEndNotSeen","token":"1-abcdef","held":1}`}}}
	w := newWorld(t, deleteAll, append(objects, record, endpointWith("4-abcdef"), domain("arena", "takaro.roadstead.dev/domain"))...)
	require.ErrorContains(t, w.run.run(t.Context()), "1 object is still there")
	found := &takarov1alpha1.TakaroEndpoint{}
	require.True(t, w.has(found, system, "takaro"))
	require.Equal(t, "4-abcdef", found.Annotations[hold.ReleaseAnnotation])
	require.True(t, w.has(record, system, identityMap))
	require.Equal(t, "1-abcdef", record.Annotations[hold.ReleaseAnnotation])
	require.Equal(t, []string{
		"patch TakaroEndpoint " + system + "/takaro", // it is kept until its last status was read
		"delete Domain demo/arena", "patch TakaroEndpoint " + system + "/takaro", "patch ConfigMap " + system + "/" + identityMap,
	}, w.writes, "each once")

	w = newWorld(t, orphan, append(objects, record, endpointWith("4-abcdef"))...)
	require.NoError(t, w.run.run(t.Context()))
	require.NotContains(t, w.out.String(), "released what it holds", "only who deletes everything has confirmed it")
}

// A user who confirmed the deletion of everything is informed of what it waits for before the
// timeout.
func TestDeleteAll_ExplainsBlockedDeletions(t *testing.T) {
	const hint = "DeletionBlocked: see there\n  Objects with the reason DeletionBlocked wait"
	for name, c := range map[string]struct {
		reason string
		hints  int
	}{
		"blocked":             {takarov1alpha1.ReasonDeletionBlocked, 1},
		"waits for its Users": {takarov1alpha1.ReasonDeletingUsers, 0},
		"no condition":        {"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			waiting := domain("arena", "takaro.roadstead.dev/domain")
			if c.reason != "" {
				waiting.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: c.reason, Message: "see there"}}
			}
			w := newWorld(t, deleteAll, append(installed(), waiting)...)
			require.Error(t, w.run.run(t.Context()))
			require.Equal(t, c.hints, strings.Count(w.out.String(), hint), "once in many rounds")
		})
	}
}

// Deleting everything deletes objects in many namespaces. One hold follows another: its token is
// released in the next round.
func TestDeleteAll_ReleasesHeldDeletions(t *testing.T) {
	e := endpointWith("4-abcdef")
	e.Status.Holds = append(e.Status.Holds, takarov1alpha1.Hold{Type: takarov1alpha1.HoldDeletion, Token: "9-abcdef", Held: 9})
	w := newWorld(t, deleteAll, append(installed(), e, domain("arena", "takaro.roadstead.dev/domain"))...)
	require.ErrorContains(t, w.run.run(t.Context()), "1 object is still there")
	found := &takarov1alpha1.TakaroEndpoint{}
	require.True(t, w.has(found, system, "takaro"))
	require.Equal(t, "9-abcdef", found.Annotations[hold.ReleaseAnnotation])

	found.Status.Holds[1].Token = "12-abcdef" // more objects were deleted in the meantime
	require.NoError(t, w.run.client.Update(t.Context(), found))
	require.ErrorContains(t, w.run.run(t.Context()), "1 object is still there")
	require.True(t, w.has(found, system, "takaro"))
	require.Equal(t, "12-abcdef", found.Annotations[hold.ReleaseAnnotation])
}

func TestRun_EndpointsAloneKeepNobody(t *testing.T) {
	w := newWorld(t, refuse, append(installed(), endpointWith(""))...)
	require.NoError(t, w.run.run(t.Context()))
}

func TestDeleteAll_WaitsForFinalizersOfRecords(t *testing.T) {
	endpoint := endpointWith("")
	endpoint.Finalizers = []string{"takaro.roadstead.dev/endpoint"}
	w := newWorld(t, deleteAll, append(installed(), endpoint)...)
	require.ErrorContains(t, w.run.run(t.Context()), "1 object is still there: 1 TakaroEndpoint")
	w = newWorld(t, orphan, append(installed(), endpointWith(""), domain("arena", "takaro.roadstead.dev/domain"))...)
	w.run.timeout = patient
	require.NoError(t, w.run.run(t.Context()))
	require.False(t, w.has(&takarov1alpha1.TakaroEndpoint{}, system, "takaro"))
}

func userObject(name string) *takarov1alpha1.User {
	return &takarov1alpha1.User{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name,
		Finalizers: []string{"takaro.roadstead.dev/user"}}}
}

// The controllers mark the domains that retained Domains leave in Takaro, so they run once more
// when only Domains are left.
func TestOrphan_LetsControllersMarkDomains(t *testing.T) {
	for _, works := range []bool{true, false} {
		w := newWorld(t, orphan, append(installed(), domain("arena", "takaro.roadstead.dev/domain"), userObject("ann"))...)
		cluster, policies, users := w.run.client, []takarov1alpha1.DeletionPolicy{}, []int{}
		w.run.client = interceptor.NewClient(cluster.(client.WithWatch), interceptor.Funcs{Patch: func(
			ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption,
		) error {
			if err := c.Patch(ctx, object, patch, options...); err != nil {
				return err
			}
			if deployment, is := object.(*appsv1.Deployment); is && *deployment.Spec.Replicas == 1 {
				found, others := &takarov1alpha1.Domain{}, &takarov1alpha1.UserList{}
				require.NoError(t, c.Get(ctx, client.ObjectKey{Namespace: "demo", Name: "arena"}, found))
				require.NoError(t, c.List(ctx, others))
				policies, users = append(policies, found.Spec.DeletionPolicy), append(users, len(others.Items))
				require.NotNil(t, found.DeletionTimestamp)
				if works {
					found.Finalizers = nil
					require.NoError(t, c.Update(ctx, found))
				}
			}
			return nil
		}})
		require.NoError(t, w.run.run(t.Context()))
		require.Equal(t, []takarov1alpha1.DeletionPolicy{takarov1alpha1.DeletionPolicyRetain}, policies)
		require.Equal(t, []int{0}, users, "there is nothing that the controllers could tear down")
		require.Equal(t, !works, strings.Contains(w.out.String(), "do not run takaro-sweep --delete for this installation"))
		require.False(t, w.has(&takarov1alpha1.Domain{}, "demo", "arena"))
	}
}
