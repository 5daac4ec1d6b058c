// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package atrest tests what very many environments cost: how long they take to be Ready, and that nothing is written and
// Takaro is asked no more than was promised when nobody wants anything.
package atrest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

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

// The shipped minute and rate (10/s), both twelve times as fast: the same number of Domains fills them.
const (
	comparePeriod = 5 * time.Second
	takaroQPS     = 120
)

var controllerArgs = []string{"--takaro-compare-period=" + comparePeriod.String(), fmt.Sprintf("--takaro-qps=%d", takaroQPS),
	fmt.Sprintf("--takaro-burst=%d", takaroQPS), "--mock-server-unreachable-after=1m"}

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
	control, err := cluster.Start(ctx, cluster.Options{AuditLevel: "Metadata"})
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
	roadstead, err := install.Install(ctx, install.Options{Cluster: control, ControllerArgs: controllerArgs})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, roadstead.Stop)
	admin, err := kubernetes.NewForConfig(control.AdminConfig())
	if err != nil {
		return fail(err)
	}
	env = &framework.Env{Cluster: control, Roadstead: roadstead, Admin: admin}
	if err := shareRedis(ctx, shared); err != nil {
		return fail(err)
	}
	return m.Run()
}

// shareRedis makes the installation's Secret of the shared Redis.
func shareRedis(ctx context.Context, shared *redis.Server) error {
	_, err := env.Admin.CoreV1().Secrets(install.Namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "redis", Labels: map[string]string{"roadstead.dev/redis": "true"}},
		StringData: map[string]string{"host": shared.Host, "port": strconv.Itoa(shared.Port), "username": "default", "password": shared.Password},
	}, metav1.CreateOptions{})
	return err
}
