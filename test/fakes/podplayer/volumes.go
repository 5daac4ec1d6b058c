// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// checkVolumes returns the reason why a kubelet could not currently mount the pod's volumes.
func (r resolver) checkVolumes(ctx context.Context) error {
	for i := range r.pod.Spec.Volumes {
		if _, err := r.volume(ctx, &r.pod.Spec.Volumes[i], false); err != nil {
			return fmt.Errorf("MountVolume.SetUp failed for volume %q: %w", r.pod.Spec.Volumes[i].Name, err)
		}
	}
	return nil
}

// volume returns the files of a volume that consists of objects. Other kinds of volumes are empty.
// Tokens are requested only if tokens is set.
func (r resolver) volume(ctx context.Context, v *corev1.Volume, tokens bool) (map[string][]byte, error) {
	switch {
	case v.Secret != nil:
		return r.secretFiles(ctx, v.Secret.SecretName, v.Secret.Items, v.Secret.Optional)
	case v.ConfigMap != nil:
		return r.configMapFiles(ctx, v.ConfigMap.Name, v.ConfigMap.Items, v.ConfigMap.Optional)
	case v.DownwardAPI != nil:
		return r.fieldFiles(v.DownwardAPI.Items)
	case v.Projected != nil:
		out := map[string][]byte{}
		for i := range v.Projected.Sources {
			files, err := r.projected(ctx, &v.Projected.Sources[i], tokens)
			if err != nil {
				return nil, err
			}
			maps.Copy(out, files)
		}
		return out, nil
	}
	return nil, nil
}

func (r resolver) projected(ctx context.Context, p *corev1.VolumeProjection, tokens bool) (map[string][]byte, error) {
	switch {
	case p.Secret != nil:
		return r.secretFiles(ctx, p.Secret.Name, p.Secret.Items, p.Secret.Optional)
	case p.ConfigMap != nil:
		return r.configMapFiles(ctx, p.ConfigMap.Name, p.ConfigMap.Items, p.ConfigMap.Optional)
	case p.DownwardAPI != nil:
		return r.fieldFiles(p.DownwardAPI.Items)
	case p.ServiceAccountToken != nil && tokens:
		token, err := r.source.token(ctx, r.pod, p.ServiceAccountToken)
		return map[string][]byte{p.ServiceAccountToken.Path: []byte(token)}, err
	}
	return nil, nil
}

func (r resolver) secretFiles(ctx context.Context, name string, items []corev1.KeyToPath, optional *bool) (map[string][]byte, error) {
	data, err := r.source.secret(ctx, r.pod.Namespace, name)
	if err != nil {
		return nil, requiredOnly(err, optional, "secret", name)
	}
	return chosen(data, items, optional, "Secret", r.pod.Namespace, name)
}

func (r resolver) configMapFiles(ctx context.Context, name string, items []corev1.KeyToPath, optional *bool) (map[string][]byte, error) {
	text, binary, err := r.source.configMap(ctx, r.pod.Namespace, name)
	if err != nil {
		return nil, requiredOnly(err, optional, "configmap", name)
	}
	return chosen(bytesOf(text, binary), items, optional, "ConfigMap", r.pod.Namespace, name)
}

func (r resolver) fieldFiles(items []corev1.DownwardAPIVolumeFile) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, item := range items {
		if item.FieldRef == nil {
			return nil, fmt.Errorf("the pod player knows fieldRef only, not the source of file %q", item.Path)
		}
		v, err := fieldValue(r.pod, item.FieldRef.FieldPath)
		if err != nil {
			return nil, err
		}
		out[item.Path] = []byte(v)
	}
	return out, nil
}

// chosen returns all keys as files, or those of the items under their paths.
func chosen(data map[string][]byte, items []corev1.KeyToPath, optional *bool, kind, namespace, name string) (map[string][]byte, error) {
	if len(items) == 0 {
		return data, nil
	}
	out := map[string][]byte{}
	for _, item := range items {
		v, found := data[item.Key]
		if !found && !isTrue(optional) {
			return nil, fmt.Errorf("references non-existent key %s of %s %s/%s", item.Key, kind, namespace, name)
		}
		if found {
			out[item.Path] = v
		}
	}
	return out, nil
}

// mountOf returns the mount that contains a path, its volume, and the path of the file in the
// volume.
func (r resolver) mountOf(c *corev1.Container, file string) (*corev1.VolumeMount, *corev1.Volume, string, error) {
	var mount *corev1.VolumeMount
	file = path.Clean(file)
	for i, m := range c.VolumeMounts {
		under := file == path.Clean(m.MountPath) || strings.HasPrefix(file, path.Clean(m.MountPath)+"/")
		if under && (mount == nil || len(m.MountPath) > len(mount.MountPath)) {
			mount = &c.VolumeMounts[i]
		}
	}
	if mount != nil {
		for i := range r.pod.Spec.Volumes {
			if r.pod.Spec.Volumes[i].Name == mount.Name {
				inside := strings.TrimPrefix(strings.TrimPrefix(file, path.Clean(mount.MountPath)), "/")
				return mount, &r.pod.Spec.Volumes[i], path.Join(mount.SubPath, inside), nil
			}
		}
	}
	return nil, nil, "", fmt.Errorf("no volume of container %s of pod %s/%s is mounted at %s: %w", c.Name, r.pod.Namespace,
		r.pod.Name, file, fs.ErrNotExist)
}
