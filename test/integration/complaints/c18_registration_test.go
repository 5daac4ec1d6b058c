// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	registration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	"roadstead.dev/roadstead/test/framework"
)

// TestC18LateAndLostRegistration tests the registration of the APIService: it is taken over by CRDs
// of the same group, it is created late, and it is deleted before and after the Service.
func TestC18LateAndLostRegistration(t *testing.T) {
	e := apart(t)
	services := apiServices(t, e)
	shipped, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
	require.NoError(t, err)
	again := func(t *testing.T) {
		t.Helper()
		require.NoError(t, applyAPIService(t, services, shipped))
		require.NoError(t, e.Roadstead.APIServer().Start(t.Context()))
		awaitAvailable(t, services)
	}
	t.Run("a CRD of our group is there first", func(t *testing.T) { takenByCRD(t, e, services, shipped); again(t) })
	t.Run("the APIService goes before the Service", func(t *testing.T) {
		require.NoError(t, services.Delete(t.Context(), serviceName, metav1.DeleteOptions{}))
		awaitUnserved(t, e)
		kubectlWorks(t, e)
	})
	t.Run("a client with a cache finds what comes late", func(t *testing.T) {
		cache := t.TempDir()
		client, err := discovery.NewDiscoveryClientForConfig(e.Cluster.AdminConfig())
		require.NoError(t, err)
		mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
		_, err = mapper.RESTMapping(schema.GroupKind{Group: group, Kind: "Domain"}, version)
		require.True(t, meta.IsNoMatchError(err), "%v", err)
		_, _, err = e.Cluster.Kubectl(t.Context(), "get", "domains", "--cache-dir="+cache)
		require.ErrorContains(t, err, "the server doesn't have a resource type")

		again(t)
		mapper.Reset()
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: group, Kind: "Domain"}, version)
		require.NoError(t, err)
		require.Equal(t, "domains", mapping.Resource.Resource)
		_, _, err = e.Cluster.Kubectl(t.Context(), "get", "domains", "--cache-dir="+cache)
		require.NoError(t, err)
	})
	t.Run("the Service goes before the APIService", func(t *testing.T) {
		kept := e.Admin.CoreV1().Services("roadstead-system")
		service, err := kept.Get(t.Context(), "roadstead-apiserver", metav1.GetOptions{})
		require.NoError(t, err)
		require.NoError(t, kept.Delete(t.Context(), service.Name, metav1.DeleteOptions{}))
		framework.AwaitFor(t, availableLimit, "the APIService to be without its Service", func() error {
			service, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
			if err == nil && availability(service).Reason != "ServiceNotFound" {
				err = errors.New(availability(service).Message)
			}
			return err
		})
		_, _, err = e.Cluster.Kubectl(t.Context(), "get", "pods", "--namespace=default", "--cache-dir="+t.TempDir())
		require.NoError(t, err)
		require.NoError(t, services.Delete(t.Context(), serviceName, metav1.DeleteOptions{}))
		awaitUnserved(t, e)
		kubectlWorks(t, e)

		_, err = kept.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: service.Name},
			Spec: service.Spec}, metav1.CreateOptions{})
		require.NoError(t, err)
		again(t)
	})
}

// takenByCRD creates a CRD of a Roadstead group, which takes over the APIService when that is
// deleted, and finally removes the CRD.
func takenByCRD(t *testing.T, e *framework.Env, services registration.APIServiceInterface, shipped *apiregistration.APIService) {
	t.Helper()
	createCRD(t, e.Cluster, group, map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true})
	registered, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, shipped.Spec, registered.Spec, "a CRD that comes later takes nothing over")

	require.NoError(t, e.Roadstead.APIServer().Stop())
	require.NoError(t, services.Delete(t.Context(), serviceName, metav1.DeleteOptions{}))
	framework.Await(t, "the host to serve the group itself", func() error {
		service, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
		if err == nil && service.Spec.Service != nil {
			err = errors.New("it is still ours")
		}
		return err
	})
	err = applyAPIService(t, services, shipped)
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.ErrorContains(t, err, "kube-apiserver")
	begin := time.Now()
	err = e.Roadstead.APIServer().Start(t.Context())
	require.ErrorContains(t, err, "APIService "+serviceName+
		" is served by kube-apiserver itself, not by this server: CustomResourceDefinitions of group "+group+" are installed")
	t.Logf("the server refused to start after %s", time.Since(begin).Round(time.Millisecond))

	require.NoError(t, customResourceDefinitions(t, e.Cluster).Delete(t.Context(), "domains."+group, metav1.DeleteOptions{}))
	framework.Await(t, "the host to let go of the group", func() error {
		_, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("still there"))
	})
}

// awaitUnserved returns when discovery no longer contains the Roadstead group.
func awaitUnserved(t *testing.T, e *framework.Env) {
	t.Helper()
	framework.Await(t, "our group to leave discovery", func() error {
		groups, err := e.Admin.Discovery().ServerGroups()
		if err != nil {
			return err
		}
		for _, one := range groups.Groups {
			if one.Name == group {
				return errors.New("still there")
			}
		}
		return nil
	})
}

// kubectlWorks requires that kubectl reports no error with the cluster.
func kubectlWorks(t *testing.T, e *framework.Env) {
	t.Helper()
	for _, args := range [][]string{{"api-resources"}, {"get", "pods", "--namespace=default"}} {
		_, problems, err := e.Cluster.Kubectl(t.Context(), append(args, "--cache-dir="+t.TempDir())...)
		require.NoError(t, err)
		require.NotContains(t, problems, group)
	}
}
