// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package environments tests whole environments, a Domain with its MockServers and Users, as teams meet them: the shipped
// manifest in several namespaces, its end in every way, a Takaro that refuses the token meanwhile.
package environments

import (
	"context"
	"flag"
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

var (
	env    *framework.Env
	shared *redis.Server
)

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
	// As many as processors is too few: what waits for the end of a namespace needs none.
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		return fail(err)
	}
	// Whoever sets blockOwnerDeletion must then be allowed to update the owner's finalizers, as in some clusters.
	control, err := cluster.Start(ctx, cluster.Options{AuditLevel: "Metadata", KubeAPIServerArgs: []string{"--enable-admission-plugins=OwnerReferencesPermissionEnforcement"}})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, control.Stop)
	player, err := podplayer.Start(ctx, podplayer.Options{Config: control.AdminConfig(), TimeScale: 0.2, Behaviours: mockgameserver.Behaviours(mockgameserver.Options{})})
	if err != nil {
		return fail(err)
	}
	ends = append(ends, player.Stop)
	if shared, err = redis.Start(ctx); err != nil {
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
	if err := shareRedis(ctx); err != nil {
		return fail(err)
	}
	return m.Run()
}

// shareRedis makes the installation's Secret of the shared Redis.
func shareRedis(ctx context.Context) error {
	_, err := env.Admin.CoreV1().Secrets(install.Namespace).Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "redis", Labels: map[string]string{"roadstead.dev/redis": "true"}},
		StringData: map[string]string{"host": shared.Host, "port": strconv.Itoa(shared.Port), "username": "default", "password": shared.Password},
	}, metav1.CreateOptions{})
	return err
}
