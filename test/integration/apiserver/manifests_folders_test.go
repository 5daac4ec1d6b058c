// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	apiserver "roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// render returns the objects of a directory below artifacts/deploy, by "Kind/name".
func render(t *testing.T, folder string) map[string]*unstructured.Unstructured {
	t.Helper()
	tools, err := cluster.FindTools()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var problems bytes.Buffer
	command := exec.CommandContext(ctx, filepath.Join(tools, "kubectl"), "kustomize", folder)
	command.Dir, command.Stderr = filepath.Join("..", "..", "..", "artifacts", "deploy"), &problems
	out, err := command.Output()
	require.NoError(t, err, problems.String())
	objects := map[string]*unstructured.Unstructured{}
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(out), 4096); ; {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		objects[object.GetKind()+"/"+object.GetName()] = object
	}
}

func convert[T any](t *testing.T, objects map[string]*unstructured.Unstructured, name string) T {
	t.Helper()
	require.Contains(t, objects, name)
	var typed T
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(objects[name].Object, &typed, true))
	return typed
}

// parsed returns the server options from the flags of a container. It fails the test for a flag
// that does not exist.
func parsed(t *testing.T, pod corev1.PodSpec) *apiserver.Options {
	t.Helper()
	options := apiserver.New()
	flags := pflag.NewFlagSet("roadstead-apiserver", pflag.ContinueOnError)
	sections := options.Flags()
	for _, section := range sections.FlagSets {
		flags.AddFlagSet(section)
	}
	require.NoError(t, flags.Parse(pod.Containers[0].Args))
	return options
}

// checkServer verifies the properties that every way to install the server has in common.
func checkServer(t *testing.T, pod corev1.PodSpec, replicas int32) *apiserver.Options {
	t.Helper()
	require.Len(t, pod.Containers, 1)
	container := pod.Containers[0]
	options := parsed(t, pod)
	require.Equal(t, install.ReadinessPath, container.ReadinessProbe.HTTPGet.Path)
	require.Equal(t, "/livez?exclude=etcd", container.LivenessProbe.HTTPGet.Path)
	require.EqualValues(t, container.Ports[0].ContainerPort, options.SecureServing.BindPort)
	require.Equal(t, replicas > 1, options.ServerRun.GoawayChance > 0,
		"only several replicas share the load, and each GOAWAY can cost a write")
	if replicas > 1 {
		require.GreaterOrEqual(t, options.ServerRun.ShutdownDelayDuration, 10*time.Second, "the Service needs time to learn that a pod goes")
	} else {
		require.Zero(t, options.ServerRun.ShutdownDelayDuration,
			"nobody takes over, and an unready pod is asked nothing: a delay is only a longer gap")
		require.LessOrEqual(t, options.ServerRun.ShutdownWatchTerminationGracePeriod, time.Second, "the same")
	}
	grace := time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	require.Greater(t, grace, options.ServerRun.ShutdownDelayDuration+options.ServerRun.RequestTimeout)
	if options.Embedded() {
		require.EqualValues(t, 1, replicas, "an embedded etcd is for one replica")
	}
	require.True(t, *pod.SecurityContext.RunAsNonRoot)
	require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
	mounted := map[string]bool{}
	for _, volume := range pod.Volumes {
		mounted[volume.Name] = true
	}
	var folders []string
	for _, mount := range container.VolumeMounts {
		folders = append(folders, mount.MountPath+"/")
		require.True(t, mounted[mount.Name] || mount.Name == "data", "volume %s", mount.Name)
	}
	for _, file := range []string{
		options.Etcd.StorageConfig.Transport.CertFile, options.Etcd.StorageConfig.Transport.KeyFile,
		options.Etcd.StorageConfig.Transport.TrustedCAFile,
		options.SecureServing.ServerCert.CertKey.CertFile, options.SecureServing.ServerCert.CertKey.KeyFile, options.Audit.PolicyFile,
	} {
		require.True(t, file == "" || containsPrefix(folders, file), "%s is in a volume", file)
	}
	return options
}

func containsPrefix(folders []string, file string) bool {
	for _, folder := range folders {
		if strings.HasPrefix(file, folder) {
			return true
		}
	}
	return false
}

func TestBase(t *testing.T) {
	objects := render(t, "base")
	set := convert[appsv1.StatefulSet](t, objects, "StatefulSet/roadstead-apiserver")
	options := checkServer(t, set.Spec.Template.Spec, *set.Spec.Replicas)
	require.True(t, options.Embedded())
	require.Contains(t, options.DataDir, set.Spec.Template.Spec.Containers[0].VolumeMounts[0].MountPath)
	require.Equal(t, set.Spec.Template.Spec.Containers[0].VolumeMounts[0].Name, set.Spec.VolumeClaimTemplates[0].Name,
		"the data outlives the pod")
	require.NotContains(t, objects, "Deployment/roadstead-apiserver")
}

func TestDevelopment(t *testing.T) {
	objects := render(t, "dev")
	set := convert[appsv1.StatefulSet](t, objects, "StatefulSet/roadstead-apiserver")
	options := checkServer(t, set.Spec.Template.Spec, *set.Spec.Replicas)
	require.True(t, options.Dev, "without it the server refuses to keep its data in an emptyDir")
	require.Empty(t, set.Spec.VolumeClaimTemplates)
	require.NotNil(t, set.Spec.Template.Spec.Volumes[0].EmptyDir)
	controller := convert[appsv1.Deployment](t, objects, "Deployment/roadstead-controller")
	require.EqualValues(t, 1, *controller.Spec.Replicas)
	require.Equal(t, corev1.PullIfNotPresent, controller.Spec.Template.Spec.Containers[0].ImagePullPolicy, "images are loaded into the nodes")
}

func TestHighAvailability(t *testing.T) {
	base, objects := render(t, "base"), render(t, "ha")
	require.NotContains(t, objects, "StatefulSet/roadstead-apiserver")
	deployment := convert[appsv1.Deployment](t, objects, "Deployment/roadstead-apiserver")
	pod := deployment.Spec.Template.Spec
	options := checkServer(t, pod, *deployment.Spec.Replicas)
	require.GreaterOrEqual(t, *deployment.Spec.Replicas, int32(2))
	require.False(t, options.Embedded())
	require.Equal(t, []string{"$(ETCD_SERVERS)"}, options.Etcd.StorageConfig.Transport.ServerList)
	reference := pod.Containers[0].Env[0]
	require.Equal(t, "ETCD_SERVERS", reference.Name)
	require.Nil(t, reference.ValueFrom.ConfigMapKeyRef.Optional, "without the ConfigMap no pod starts")
	require.NotEmpty(t, options.Etcd.StorageConfig.Transport.CertFile)
	require.NotEmpty(t, options.Audit.PolicyFile, "as with one replica")
	require.Equal(t, "100%", deployment.Spec.Strategy.RollingUpdate.MaxSurge.String())
	require.Equal(t, "0", deployment.Spec.Strategy.RollingUpdate.MaxUnavailable.String())
	require.Positive(t, deployment.Spec.MinReadySeconds)
	require.NotEmpty(t, pod.TopologySpreadConstraints)
	budget := convert[policyv1.PodDisruptionBudget](t, objects, "PodDisruptionBudget/roadstead-apiserver")
	for _, selector := range []*metav1.LabelSelector{budget.Spec.Selector, pod.TopologySpreadConstraints[0].LabelSelector} {
		require.Equal(t, deployment.Spec.Selector.MatchLabels, selector.MatchLabels)
	}
	require.Equal(t, convert[corev1.Service](t, base, "Service/roadstead-apiserver").Spec.Selector, deployment.Spec.Template.Labels)
	single := convert[appsv1.StatefulSet](t, base, "StatefulSet/roadstead-apiserver").Spec.Template.Spec
	require.Equal(t, single.Containers[0].SecurityContext, pod.Containers[0].SecurityContext)
	require.Equal(t, single.SecurityContext, pod.SecurityContext)
	require.Equal(t, single.Containers[0].Image, pod.Containers[0].Image)
}

func TestCertManager(t *testing.T) {
	objects := render(t, "cert-manager")
	set := convert[appsv1.StatefulSet](t, objects, "StatefulSet/roadstead-apiserver")
	options := checkServer(t, set.Spec.Template.Spec, *set.Spec.Replicas)
	require.NotEmpty(t, options.SecureServing.ServerCert.CertKey.CertFile, "the server must not write the CA bundle itself")
	certificate := objects["Certificate/roadstead-apiserver"]
	secret, _, err := unstructured.NestedString(certificate.Object, "spec", "secretName")
	require.NoError(t, err)
	var secrets []string
	for _, volume := range set.Spec.Template.Spec.Volumes {
		if volume.Secret != nil {
			secrets = append(secrets, volume.Secret.SecretName)
		}
	}
	require.Equal(t, []string{secret}, secrets)
	names, _, err := unstructured.NestedStringSlice(certificate.Object, "spec", "dnsNames")
	require.NoError(t, err)
	require.Contains(t, names, "roadstead-apiserver.roadstead-system.svc")
	services := 0
	for _, object := range objects {
		if object.GetKind() == "APIService" {
			services++
			require.Equal(t, certificate.GetNamespace()+"/"+certificate.GetName(), object.GetAnnotations()["cert-manager.io/inject-ca-from"])
		}
	}
	require.Positive(t, services)
}
