// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

const system = "roadstead-system"

// world is a cluster with an installation, and the changes of it, in order.
type world struct {
	t      *testing.T
	run    *uninstallation
	out    bytes.Buffer
	writes []string
	// conflicts is how many patches conflict with another change. failAt is the prefix of the write
	// that fails.
	conflicts int
	failAt    string
}

// served contains the resources of discovery.
type served map[string][]metav1.APIResource

func (s served) ServerResourcesForGroupVersion(version string) (*metav1.APIResourceList, error) {
	resources, there := s[version]
	if !there {
		return nil, apierrors.NewServiceUnavailable("nobody serves " + version)
	}
	return &metav1.APIResourceList{GroupVersion: version, APIResources: resources}, nil
}

var takaroServed = served{"takaro.roadstead.dev/v1alpha1": {
	{Name: "domains", Kind: "Domain", Namespaced: true, Verbs: metav1.Verbs{"list", "delete"}},
	{Name: "domains/status", Kind: "Domain", Namespaced: true, Verbs: metav1.Verbs{"get"}},
	{Name: "users", Kind: "User", Namespaced: true, Verbs: metav1.Verbs{"list", "delete"}},
	{Name: "takaroendpoints", Kind: "TakaroEndpoint", Namespaced: true, Verbs: metav1.Verbs{"list", "delete"}},
	{Name: "reviews", Kind: "Review", Verbs: metav1.Verbs{"create"}},
}}

// installed returns all objects of an installation with an embedded store, and in addition one
// foreign object of each kind.
func installed() []client.Object {
	labelled := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: system, Name: name, Labels: map[string]string{nameLabel: name}, UID: types.UID("uid-" + name)}
	}
	in := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: system, Name: name} }
	service := func(name, group, to string) *apiregistration.APIService {
		return &apiregistration.APIService{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: apiregistration.APIServiceSpec{
			Group: group, Version: "v1alpha1", Service: &apiregistration.ServiceReference{Namespace: system, Name: to},
		}}
	}
	claim := labelled(apiServer)
	claim.Name = "data-roadstead-apiserver-0"
	redis := labelled(redisLabel)
	redis.Name = "data-roadstead-redis-0"
	login := in(mockserver.BundledRedisSecret)
	login.Labels = map[string]string{secrets.ManagedByLabel: secrets.ManagedByValue}
	return []client.Object{
		service("v1alpha1.takaro.roadstead.dev", "takaro.roadstead.dev", apiServer), service("v1alpha1.other.roadstead.dev",
			"other.roadstead.dev", "another"),
		service("v1.metrics.example.com", "metrics.example.com", apiServer),
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: webhook},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{Name: "crdguard.roadstead.dev"}}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "another"}},
		&appsv1.Deployment{ObjectMeta: labelled(controller)}, &appsv1.StatefulSet{ObjectMeta: labelled(apiServer)},
		&appsv1.StatefulSet{ObjectMeta: in("another")},
		&corev1.PersistentVolumeClaim{ObjectMeta: claim}, &corev1.PersistentVolumeClaim{ObjectMeta: redis}, &corev1.Secret{ObjectMeta: login},
		&corev1.PersistentVolumeClaim{ObjectMeta: in("another")},
		&corev1.Secret{ObjectMeta: in(servingSecret)}, &corev1.Secret{ObjectMeta: in(encryptionSecret)},
		&corev1.Secret{ObjectMeta: in(passwordsSecret)},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "held", Finalizers: []string{"example.com/own",
			"roadstead.dev/in-use"}}},
		&corev1.ConfigMap{ObjectMeta: in(identityMap)}, &corev1.ConfigMap{ObjectMeta: in("another")},
		&coordinationv1.Lease{ObjectMeta: in(controller)}, &coordinationv1.Lease{ObjectMeta: in("roadstead-cert")},
		&coordinationv1.Lease{ObjectMeta: in("roadstead-embedded-store")}, &coordinationv1.Lease{ObjectMeta: in(storeidentity.LeaseName)},
		&coordinationv1.Lease{ObjectMeta: in("another")},
	}
}

func newWorld(t *testing.T, how mode, objects ...client.Object) *world {
	t.Helper()
	w := &world{t: t}
	kinds := newScheme()
	require.NoError(t, takarov1alpha1.AddToScheme(kinds))
	cluster := fake.NewClientBuilder().WithScheme(kinds).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			return w.write("delete", object, func() error { return c.Delete(ctx, object, options...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if w.conflicts > 0 {
				w.conflicts--
				return apierrors.NewConflict(corev1.Resource("secrets"), object.GetName(), nil)
			}
			return w.write("patch", object, func() error { return c.Patch(ctx, object, patch, options...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			return w.write("create", object, func() error { return c.Create(ctx, object, options...) })
		},
	}).Build()
	inventory := func(ctx context.Context, each func(storeidentity.InventoryObject) error) (storeidentity.InventoryHeader, error) {
		domains := &takarov1alpha1.DomainList{}
		header := storeidentity.InventoryHeader{State: storeidentity.StateServing}
		if err := cluster.List(ctx, domains); err != nil {
			return header, err
		}
		for _, one := range domains.Items {
			if err := each(storeidentity.InventoryObject{
				Group: "takaro.roadstead.dev", Resource: "domains", Namespace: one.Namespace, Name: one.Name, UID: one.UID,
			}); err != nil {
				return header, err
			}
		}
		return header, nil
	}
	w.run = &uninstallation{mode: how, namespace: system, timeout: 200 * time.Millisecond, client: cluster, discovery: takaroServed,
		inventory: inventory, leases: kubernetesfake.NewClientset().CoordinationV1(), out: &w.out, poll: 5 * time.Millisecond}
	return w
}

// write records a write that changed an object, and fails the one that the test selected.
func (w *world) write(verb string, object client.Object, do func() error) error {
	said := fmt.Sprintf("%s %s", verb, w.run.called(object))
	if w.failAt != "" && strings.HasPrefix(said, w.failAt) {
		return apierrors.NewInternalError(fmt.Errorf("killed at %s", said))
	}
	err := do()
	if err == nil {
		w.writes = append(w.writes, said)
	}
	return err
}

// has reports whether an object exists.
func (w *world) has(object client.Object, namespace, name string) bool {
	w.t.Helper()
	err := w.run.client.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object)
	require.NoError(w.t, client.IgnoreNotFound(err))
	return err == nil
}

// without returns the objects except those with the given names.
func without(all []client.Object, names ...string) []client.Object {
	return slices.DeleteFunc(slices.Clone(all), func(object client.Object) bool { return slices.Contains(names, object.GetName()) })
}
