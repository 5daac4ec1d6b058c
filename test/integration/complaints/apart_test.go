// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
	registration "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/typed/apiregistration/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
)

const serviceName = version + "." + group

// bare starts a cluster without Roadstead for one test.
func bare(t *testing.T) *cluster.Cluster {
	t.Helper()
	return framework.StartFor(t, framework.WithMinimalHost(), framework.WithoutInstallation()).Cluster
}

// second is an installation in a separate cluster, for tests that remove parts of it. The first of
// these tests starts it, and each test restores its original state. Its log may contain errors.
var second *framework.Env

// apart returns the second installation with its server running.
func apart(t *testing.T) *framework.Env {
	t.Helper()
	if second == nil {
		var err error
		second, err = framework.Start(t.Context(), framework.WithMinimalHost())
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		// The context of the test is already canceled here.
		require.NoError(t, second.Roadstead.APIServer().Start(context.Background()))
	})
	return second
}

// stopSecond stops the second installation, if there is one.
func stopSecond() error {
	if second == nil {
		return nil
	}
	return second.Stop()
}

// look triggers an availability check of the Roadstead server by the aggregation layer. On its own,
// the aggregation layer checks a server that was available only every 30 seconds, so it would
// notice an outage late.
func look(t *testing.T, services registration.APIServiceInterface) {
	t.Helper()
	patch := `{"metadata":{"annotations":{"roadstead.test/look":"` + time.Now().Format(time.RFC3339Nano) + `"}}}`
	_, err := services.Patch(t.Context(), serviceName, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(t, err)
}

// awaitMissed returns when the aggregation layer has noticed that the Roadstead server is
// unavailable.
func awaitMissed(t *testing.T, services registration.APIServiceInterface) {
	t.Helper()
	look(t, services)
	framework.Await(t, "the APIService to be unavailable", func() error {
		service, err := services.Get(t.Context(), serviceName, metav1.GetOptions{})
		if err == nil && availability(service).Status != apiregistration.ConditionFalse {
			err = errors.New("still available")
		}
		return err
	})
}

func apiServices(t *testing.T, e *framework.Env) registration.APIServiceInterface {
	t.Helper()
	client, err := aggregator.NewForConfig(e.Cluster.AdminConfig())
	require.NoError(t, err)
	return client.ApiregistrationV1().APIServices()
}

// applyAPIService applies the shipped APIService again, which does not contain spec.caBundle.
func applyAPIService(t *testing.T, services registration.APIServiceInterface, shipped *apiregistration.APIService) error {
	t.Helper()
	spec := *shipped.Spec.DeepCopy()
	spec.CABundle = nil
	text, err := json.Marshal(&apiregistration.APIService{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiregistration.SchemeGroupVersion.String(), Kind: "APIService"},
		ObjectMeta: metav1.ObjectMeta{Name: shipped.Name},
		Spec:       spec,
	})
	require.NoError(t, err)
	_, err = services.Patch(t.Context(), shipped.Name, types.ApplyPatchType, text, metav1.PatchOptions{FieldManager: "roadstead-install"})
	return err
}

// availability returns the condition Available of an APIService.
func availability(service *apiregistration.APIService) apiregistration.APIServiceCondition {
	for _, condition := range service.Status.Conditions {
		if condition.Type == apiregistration.Available {
			return condition
		}
	}
	return apiregistration.APIServiceCondition{}
}
