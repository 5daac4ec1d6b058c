// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/framework/install"
)

func behaviours() map[string]podplayer.Behaviour {
	return mockgameserver.Behaviours(mockgameserver.Options{TimeScale: 0.1})
}

// configure creates the Secrets of the installation.
func (w *World) configure(ctx context.Context) error {
	for _, secret := range []*corev1.Secret{
		{
			ObjectMeta: metav1.ObjectMeta{Name: "redis", Labels: map[string]string{"roadstead.dev/redis": "true"}},
			StringData: map[string]string{"host": w.Redis.Host, "port": strconv.Itoa(w.Redis.Port), "username": "default",
				"password": w.Redis.Password},
		},
		endpoint("takaro", w.TakaroURL, w.Takaro.AdminToken()), endpoint("failing", w.FailingURL, w.Failing.AdminToken()),
	} {
		if _, err := w.Client.CoreV1().Secrets(install.Namespace).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func endpoint(name, url, token string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"roadstead.dev/takaro-endpoint": "true"}},
		StringData: map[string]string{"url": url, "adminToken": token},
	}
}

// installGuard applies the shipped manifests of the CRD guard.
func (w *World) installGuard(ctx context.Context) error {
	folder, err := install.Manifests("guard")
	if err != nil {
		return err
	}
	_, _, err = w.Host.KubectlAs(w.Host.Kubeconfig()).Run(ctx, "apply", "-k", folder)
	return err
}

// InRedis returns the users and the keys of Redis.
func (w *World) InRedis(ctx context.Context) (logins, keys []string, err error) {
	client := w.Redis.Client()
	defer func() { _ = client.Close() }()
	if logins, err = client.ACLUsers(ctx).Result(); err != nil {
		return nil, nil, err
	}
	keys, err = client.Keys(ctx, "*").Result()
	return logins, keys, err
}
