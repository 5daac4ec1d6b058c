// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	registration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	"roadstead.dev/roadstead/test/framework"
)

const (
	// availableLimit is the maximum time from ready to Available. While the server waits for its
	// rights, the aggregation layer doubles the interval between its attempts, up to 30 s.
	availableLimit = 45 * time.Second
	// quietWindow is the time for which the regular run verifies that an APIService stays
	// Available.
	quietWindow = 8 * time.Second
	// readerBinding allows the server to read the CA of the client certificates of the aggregation
	// layer.
	readerBinding = "roadstead-apiserver:authentication-reader"
)

// TestC03InstallInAnyOrder creates the APIService first, then the server, and last the right to
// read the CA of the aggregation layer. The server is not ready before it has that right. From then
// on it is Available and stays Available (rancher #56638).
func TestC03InstallInAnyOrder(t *testing.T) {
	e := apart(t)
	services, bindings, server := apiServices(t, e), e.Admin.RbacV1().RoleBindings("kube-system"), e.Roadstead.APIServer()
	shipped, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
	require.NoError(t, err)
	binding, err := bindings.Get(t.Context(), readerBinding, metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, server.Stop())
	require.NoError(t, services.Delete(t.Context(), serviceName, metav1.DeleteOptions{}))
	require.NoError(t, bindings.Delete(t.Context(), readerBinding, metav1.DeleteOptions{}))

	require.NoError(t, applyAPIService(t, services, shipped))
	framework.Await(t, "the APIService to wait for its server", func() error {
		service, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
		if err == nil && availability(service).Status != apiregistration.ConditionFalse {
			err = errors.New("it has no condition yet")
		}
		return err
	})
	started := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), framework.Limit)
	defer cancel()
	go func() { started <- server.Start(ctx) }()
	framework.Await(t, "the server to wait for the right", func() error {
		select {
		case err := <-started:
			require.NoError(t, err, "it must wait")
		default:
		}
		if len(logged(t, server.Log(), "get configmaps kube-system/extension-apiserver-authentication")) == 0 {
			return errors.New("not yet")
		}
		return nil
	})
	_, err = bindings.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: binding.Name}, RoleRef: binding.RoleRef, Subjects: binding.Subjects,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, <-started)
	begin := time.Now()
	first := awaitAvailable(t, services)
	t.Logf("available %s after the server was ready", time.Since(begin).Round(time.Millisecond))
	staysAvailable(t, services, first, quietWindow)
}

// awaitAvailable waits until the APIService is available and returns it.
func awaitAvailable(t *testing.T, services registration.APIServiceInterface) (service *apiregistration.APIService) {
	t.Helper()
	framework.AwaitFor(t, availableLimit, "the APIService to be available", func() (err error) {
		if service, err = services.Get(t.Context(), serviceName, metav1.GetOptions{}); err != nil {
			return err
		}
		if condition := availability(service); condition.Status != apiregistration.ConditionTrue {
			return errors.New(condition.Reason + ": " + condition.Message)
		}
		return nil
	})
	return service
}

// staysAvailable watches the APIService for a while. Nothing but its CA may change.
func staysAvailable(t *testing.T, services registration.APIServiceInterface, first *apiregistration.APIService, window time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), window)
	defer cancel()
	since, last := first.ResourceVersion, first
	for ctx.Err() == nil {
		changes, err := services.Watch(ctx, metav1.ListOptions{ResourceVersion: since,
			FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, serviceName).String()})
		if ctx.Err() != nil {
			break
		}
		require.NoError(t, err)
		for event := range changes.ResultChan() {
			service, ok := event.Object.(*apiregistration.APIService)
			require.True(t, ok && event.Type == watch.Modified, "%s: %+v", event.Type, event.Object)
			condition := availability(service)
			assert.Equal(t, apiregistration.ConditionTrue, condition.Status, "%s: %s", condition.Reason, condition.Message)
			since, last = service.ResourceVersion, service
		}
	}
	require.Equal(t, availability(first), availability(last))
}
