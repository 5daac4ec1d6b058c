// SPDX-License-Identifier: Apache-2.0

package options

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/apiserver/trust/hostprobe"
	"roadstead.dev/roadstead/pkg/storage/etcd"
)

// longestWaits is the sum of the waits of a start with all rights in the cluster. A restart in between would begin all of them
// again. Missing rights are awaited without end: a restart after the startup probe has failed only begins that wait again.
const longestWaits = 480 * time.Second

// TestStartWaits_EndBeforeStartupProbe adds up how long the server may wait before /livez succeeds.
func TestStartWaits_EndBeforeStartupProbe(t *testing.T) {
	for _, manifest := range []string{"base", "ha"} {
		t.Run(manifest, func(t *testing.T) {
			container := serverContainer(t, manifest)
			waits := map[string]time.Duration{
				"kube-apiserver, before the configuration of the server": hostprobe.DefaultPatience.Answer,
				"the store (postStartHook storage-readiness)":            storageInitialization(t, container),
			}
			if strings.Contains(strings.Join(container.Args, " "), "--data-dir=") {
				waits["the embedded etcd"] = etcd.LongestStart
			}
			var sum time.Duration
			for what, wait := range waits {
				require.Positive(t, wait, what)
				sum += wait
			}
			assert.LessOrEqual(t, sum, longestWaits, "%v", waits)

			probe := container.StartupProbe
			require.NotNil(t, probe)
			assert.Greater(t, time.Duration(probe.PeriodSeconds*probe.FailureThreshold)*time.Second, longestWaits)
			assert.Equal(t, container.LivenessProbe.HTTPGet, probe.HTTPGet)
			assert.Zero(t, container.LivenessProbe.InitialDelaySeconds, "the startup probe precedes it")
		})
	}
}

func serverContainer(t *testing.T, manifest string) corev1.Container {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "artifacts", "deploy", manifest, "apiserver.yaml"))
	require.NoError(t, err)
	var workload appsv1.Deployment // a StatefulSet has the same pod template
	require.NoError(t, yaml.Unmarshal(text, &workload))
	require.Len(t, workload.Spec.Template.Spec.Containers, 1)
	return workload.Spec.Template.Spec.Containers[0]
}

// storageInitialization returns --storage-initialization-timeout as the manifest sets it.
func storageInitialization(t *testing.T, container corev1.Container) time.Duration {
	t.Helper()
	options, flags := New(), pflag.NewFlagSet("roadstead-apiserver", pflag.ContinueOnError)
	sections := options.Flags()
	for _, section := range sections.FlagSets {
		flags.AddFlagSet(section)
	}
	require.NoError(t, flags.Parse(container.Args))
	return options.ServerRun.StorageInitializationTimeout
}
