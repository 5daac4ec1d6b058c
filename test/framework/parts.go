// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/privateca"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// WithTakaro starts a simulated Takaro that all tests share.
func WithTakaro() Option {
	return WithBefore(func(_ context.Context, e *Env) error {
		e.Takaro = takaro.New(takaro.Options{})
		e.AtStop(func() error { e.Takaro.Close(); return nil })
		return e.Takaro.Start()
	})
}

// WithPlayer simulates the pods of MockServers. The clock of the node runs at timeScale, that of
// the servers at serverScale; 0 is real time.
func WithPlayer(timeScale, serverScale float64) Option {
	return WithBefore(func(ctx context.Context, e *Env) (err error) {
		e.Player, err = podplayer.Start(ctx, podplayer.Options{Config: e.Cluster.AdminConfig(), TimeScale: timeScale,
			Behaviours: mockgameserver.Behaviours(mockgameserver.Options{TimeScale: serverScale})})
		if err == nil {
			e.AtStop(e.Player.Stop)
		}
		return err
	})
}

// WithRedis starts a Redis. The installation, if there is one, gets the Secret with which all
// MockServers use it.
func WithRedis() Option {
	return func(s *setup) {
		s.before = append(s.before, func(ctx context.Context, e *Env) (err error) {
			if e.Redis, err = redis.Start(ctx); err == nil {
				e.AtStop(e.Redis.Close)
			}
			return err
		})
		s.after = append(s.after, func(ctx context.Context, e *Env) error {
			if e.Roadstead == nil {
				return nil
			}
			return e.ShareRedis(ctx)
		})
	}
}

// ShareRedis creates the Secret of the shared Redis in the namespace of the installation.
func (e *Env) ShareRedis(ctx context.Context) error {
	_, err := e.Admin.CoreV1().Secrets(install.Namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "redis", Labels: map[string]string{"roadstead.dev/redis": "true"}},
		StringData: map[string]string{
			"host": e.Redis.Host, "port": strconv.Itoa(e.Redis.Port), "username": "default", "password": e.Redis.Password,
		},
	}, metav1.CreateOptions{})
	return err
}

// WithAuthority generates a private authority for stand-ins that serve HTTPS. Only the controller
// trusts it.
func WithAuthority() Option {
	return func(s *setup) {
		s.before = append(s.before, func(_ context.Context, e *Env) (err error) {
			if e.Serving, e.Authority, err = privateca.New(); err != nil {
				return err
			}
			return os.WriteFile(authorityFile(e.Cluster), e.Authority, 0o600)
		})
		s.install = append(s.install, func(o *install.Options) {
			o.ControllerEnv = append(o.ControllerEnv, "SSL_CERT_FILE="+authorityFile(o.Cluster))
		})
	}
}

func authorityFile(c *cluster.Cluster) string { return filepath.Join(c.Dir(), "authority.pem") }
