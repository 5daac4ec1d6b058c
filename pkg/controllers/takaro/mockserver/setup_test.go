// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestSecretsThatWakeAMockServer(t *testing.T) {
	w := newWorld(t, func(domain *v1alpha1.Domain, server *v1alpha1.MockServer) {
		domain.Spec.CABundleSecretRef = &v1alpha1.SecretKeyReference{Name: "ca", Key: "ca.crt"}
		server.Spec.Redis = &v1alpha1.MockServerRedis{Host: "redis", PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "login",
			Key: "password"}}
	})
	woken := w.r.serversOfSecret(controllertest.System)
	for name, c := range map[string]struct {
		namespace, secret string
		labels            map[string]string
		wakes             bool
	}{
		"the Domain's CA":             {controllertest.Namespace, "ca", nil, true},
		"a CA of another namespace":   {"other", "ca", nil, false},
		"the Domain's token":          {controllertest.Namespace, "arena-registration-token", nil, true},
		"named by itself":             {controllertest.Namespace, "login", nil, true},
		"its own":                     {controllertest.Namespace, "game-mock-server", nil, true},
		"the shared Redis":            {controllertest.System, "any", map[string]string{RedisLabel: "true"}, true},
		"one that calls itself Redis": {controllertest.Namespace, "any", map[string]string{RedisLabel: "true"}, false},
		"any other":                   {controllertest.Namespace, "any", nil, false},
	} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace, Name: c.secret, Labels: c.labels}}
		assert.Equal(t, c.wakes, len(woken(t.Context(), secret)) > 0, name)
	}
}
