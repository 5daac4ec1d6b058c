// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"
)

func apiService(name string, service *apiregistration.ServiceReference) *apiregistration.APIService {
	return &apiregistration.APIService{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       apiregistration.APIServiceSpec{Group: "a.test", Version: "v1", Service: service},
	}
}

func TestCheckRegistration(t *testing.T) {
	ours := &apiregistration.ServiceReference{Namespace: "roadstead-system", Name: "roadstead-apiserver"}
	names := []string{"v1.a.test", "v1.b.test"}
	require.NoError(t, CheckRegistration(t.Context(), fake.NewSimpleClientset(), names), "they may come later")
	require.NoError(t, CheckRegistration(t.Context(), fake.NewSimpleClientset(apiService("v1.a.test", ours)), names))
	err := CheckRegistration(t.Context(), fake.NewSimpleClientset(apiService("v1.a.test", ours), apiService("v1.b.test", nil)), names)
	require.ErrorContains(t, err, "APIService v1.b.test is served by kube-apiserver itself, not by this server: "+
		"CustomResourceDefinitions of group a.test are installed")
	require.NotContains(t, err.Error(), "v1.a.test")

	for _, tc := range []struct {
		failure error
		want    string
	}{
		{apierrors.NewForbidden(schema.GroupResource{Resource: "apiservices"}, "v1.a.test", errors.New("hardened")), ""},
		{errors.New("etcd is slow"), "APIService v1.a.test: etcd is slow"},
	} {
		client := fake.NewSimpleClientset()
		client.PrependReactor("get", "apiservices", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, tc.failure })
		err := CheckRegistration(t.Context(), client, names)
		if tc.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, tc.want)
		}
	}
}
