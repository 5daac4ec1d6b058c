// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

// workloads returns the pods of the shipped manifests by file. Deployments, StatefulSets and Jobs
// have them at the same path.
func workloads(t *testing.T) map[string]corev1.PodSpec {
	t.Helper()
	all := map[string]corev1.PodSpec{}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "artifacts", "deploy"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			var workload appsv1.Deployment
			if strings.Contains(document, "\nkind: Deployment\n") || strings.Contains(document, "\nkind: StatefulSet\n") ||
				strings.Contains(document, "\nkind: Job\n") {
				require.NoError(t, yaml.Unmarshal([]byte(document), &workload), file)
				all[file] = workload.Spec.Template.Spec
			}
		}
		return nil
	}))
	return all
}

// TestShippedWorkloadsRunTheImagesAsTheyAreMade checks that workloads run as the user of the
// images, with a read-only root file system, and with volumes for the paths that the programs write
// to.
func TestShippedWorkloadsRunTheImagesAsTheyAreMade(t *testing.T) {
	found := map[string]int{}
	for file, pod := range workloads(t) {
		for _, container := range pod.Containers {
			repository, _, _ := strings.Cut(path.Base(container.Image), ":")
			if !strings.HasPrefix(repository, "roadstead-") {
				continue
			}
			found[repository]++
			assert.Contains(t, names(), repository, "%s: no image of that name is built", file)
			assert.Empty(t, container.Command, "%s: the image has its entrypoint", file)
			require.NotNil(t, pod.SecurityContext, file)
			assert.EqualValues(t, uid, ptr.Deref(pod.SecurityContext.RunAsUser, 0), file)
			assert.EqualValues(t, uid, ptr.Deref(pod.SecurityContext.RunAsGroup, 0), file)
			assert.True(t, ptr.Deref(pod.SecurityContext.RunAsNonRoot, false), file)
			require.NotNil(t, pod.SecurityContext.SeccompProfile, file)
			assert.Equal(t, corev1.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type, file)
			require.NotNil(t, container.SecurityContext, file)
			assert.True(t, ptr.Deref(container.SecurityContext.ReadOnlyRootFilesystem, false), file)
			assert.False(t, ptr.Deref(container.SecurityContext.AllowPrivilegeEscalation, true), file)
			assert.Equal(t, &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}, container.SecurityContext.Capabilities, file)
			if repository == "roadstead-apiserver" {
				assert.True(t, mounts(container, "/tmp"), "%s: the server needs a place for sockets", file)
			}
		}
	}
	assert.Equal(t, map[string]int{"roadstead-apiserver": 2, "roadstead-controller": 2}, found)
}

// mounts reports whether a container has a writable volume at a path.
func mounts(container corev1.Container, path string) bool {
	for _, mount := range container.VolumeMounts {
		if mount.MountPath == path && !mount.ReadOnly {
			return true
		}
	}
	return false
}
