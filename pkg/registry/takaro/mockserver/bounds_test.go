// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/install"

	"roadstead.dev/roadstead/pkg/registry/generic/boundstest"
)

// TestEverythingMockServerHoldsIsBounded checks the bounds of all fields: one object must not use
// up the memory of the replicas.
func TestEverythingMockServerHoldsIsBounded(t *testing.T) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	ref := &takaro.SecretKeyReference{Name: "secret", Key: "key"}
	valid := func() *takaro.MockServer {
		return &takaro.MockServer{
			ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "game"},
			Spec: takaro.MockServerSpec{
				Name: "game", DomainRef: &takaro.LocalObjectReference{Name: "arena"}, Image: "registry.example/mock:v1",
				Redis: &takaro.MockServerRedis{Host: "redis.example", Port: ptr.To[int32](6379), Username: "user",
					PasswordSecretRef: ref.DeepCopy()},
				ImagePullSecrets: []takaro.LocalObjectReference{{Name: "pull"}},
				Resources: corev1.ResourceRequirements{
					Limits:   corev1.ResourceList{"cpu": resource.MustParse("2")},
					Requests: corev1.ResourceList{"cpu": resource.MustParse("1")},
				},
				NodeSelector: map[string]string{"disk": "ssd"},
				Tolerations: []corev1.Toleration{{Key: "key", Operator: corev1.TolerationOpEqual, Value: "value",
					Effect: corev1.TaintEffectNoSchedule}},
			},
			Status: takaro.MockServerStatus{
				Phase: takaro.MockServerReady, Selector: "a=b", GameServers: []takaro.MockGameServer{{Name: "game", ID: "id"}},
				Conditions: []metav1.Condition{{Type: "Ready", Status: "True", Reason: "AsSpecified", Message: "text",
					LastTransitionTime: metav1.Now()}},
				Ownership: &ownership.Status{
					Records: []ownership.Record{{Kind: "Kind", ID: "id", Key: "key", Parent: "parent", State: ownership.Held, Origin: ownership.Created}},
					Facts:   map[string]string{"fact": "hash"},
				},
			},
		}
	}
	boundstest.RequireBounded(t, newKind(scheme, "controller"), valid, func() *takaro.MockServer {
		foreign := valid()
		foreign.Spec.DomainRef, foreign.Spec.ExternalReferenceID = nil, "arena"
		foreign.Spec.TakaroAPIURL, foreign.Spec.ConnectorURL = "https://api.takaro.example", "wss://connect.takaro.example"
		foreign.Spec.CredentialsSecretRef, foreign.Spec.CABundleSecretRef = ref.DeepCopy(), ref.DeepCopy()
		return foreign
	})
}
