// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package plugin tests the kubectl plugin as people meet it: by kubectl, as a user with rights in one namespace, on whole
// environments of which something is broken.
package plugin

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"roadstead.dev/roadstead/test/fakes/mockgameserver"
	"roadstead.dev/roadstead/test/fakes/podplayer"
	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	ctx := context.Background()
	code = 1
	var ends []func() error
	defer func() {
		for _, end := range slices.Backward(ends) {
			if err := end(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}()
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	control, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, control.Stop)
	player, err := podplayer.Start(ctx, podplayer.Options{Config: control.AdminConfig(), TimeScale: 0.2, Behaviours: mockgameserver.Behaviours(mockgameserver.Options{})})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, player.Stop)
	shared, err := redis.Start(ctx)
	if err != nil {
		return fail(err)
	}
	ends = append(ends, shared.Close)
	roadstead, err := install.Install(ctx, install.Options{Cluster: control, ControllerArgs: []string{"--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500"}})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, roadstead.Stop)
	admin, err := kubernetes.NewForConfig(control.AdminConfig())
	if err != nil {
		return fail(err)
	}
	env = &framework.Env{Cluster: control, Roadstead: roadstead, Admin: admin}
	_, err = admin.CoreV1().Secrets(install.Namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "redis", Labels: map[string]string{"roadstead.dev/redis": "true"}},
		StringData: map[string]string{"host": shared.Host, "port": strconv.Itoa(shared.Port), "username": "default", "password": shared.Password},
	}, metav1.CreateOptions{})
	if err != nil {
		return fail(err)
	}
	return m.Run()
}
