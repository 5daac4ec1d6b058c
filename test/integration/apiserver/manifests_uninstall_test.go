// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"roadstead.dev/roadstead/pkg/uninstall"
)

func TestUninstall(t *testing.T) {
	base, objects := render(t, "base"), render(t, "uninstall")
	job := convert[batchv1.Job](t, objects, "Job/roadstead-prepare-uninstall")
	pod := job.Spec.Template.Spec
	require.Zero(t, *job.Spec.BackoffLimit)
	require.Equal(t, corev1.RestartPolicyNever, pod.RestartPolicy)
	require.Equal(t, "roadstead-prepare-uninstall", pod.ServiceAccountName)
	require.Contains(t, objects, "ServiceAccount/"+pod.ServiceAccountName)
	works := convert[appsv1.Deployment](t, base, "Deployment/roadstead-controller").Spec.Template
	require.Equal(t, works.Spec.Containers[0].Image, pod.Containers[0].Image)
	require.Equal(t, works.Spec.SecurityContext, pod.SecurityContext)
	require.Equal(t, works.Spec.Containers[0].SecurityContext, pod.Containers[0].SecurityContext)

	command := uninstall.NewCommand()
	require.Equal(t, command.Name(), pod.Containers[0].Args[0])
	require.NoError(t, command.ParseFlags(pod.Containers[0].Args[1:]))
	set := convert[appsv1.StatefulSet](t, base, "StatefulSet/roadstead-apiserver")
	const label = "app.kubernetes.io/name"
	require.NotContains(t, []string{works.Labels[label], set.Spec.Template.Labels[label]}, job.Spec.Template.Labels[label],
		"it would wait for its own end")

	role := convert[rbacv1.Role](t, objects, "Role/roadstead-prepare-uninstall")
	volume := set.Spec.VolumeClaimTemplates[0].Name + "-" + set.Name + "-0"
	require.True(t, slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
		return slices.Contains(rule.ResourceNames, volume) && slices.Contains(rule.Verbs, "delete")
	}), "nobody may delete %s", volume)
}
