// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Mount is a volume mounted into a container.
type Mount struct {
	// Path is the mount path in the container.
	Path string
	// Volume is the name of the volume in the pod.
	Volume string
	// Files are the files of a Secret, ConfigMap, downward API or projected volume by their path in
	// it, and nil for other volumes.
	Files map[string][]byte
	// HostPath is the directory of this machine behind a claim, empty for other volumes.
	HostPath string
}

// Mounts returns the current volumes that the container mounts, with a subPath only the files below
// it.
func (p *Pod) Mounts(ctx context.Context) ([]Mount, error) {
	var out []Mount
	for _, m := range p.spec.VolumeMounts {
		for i := range p.Object.Spec.Volumes {
			v := &p.Object.Spec.Volumes[i]
			if v.Name != m.Name {
				continue
			}
			if m.SubPath != "" {
				return nil, fmt.Errorf("the pod player shows no folder for the subPath of volume %s of pod %s/%s", v.Name, p.Namespace, p.Name)
			}
			mount := Mount{Path: m.MountPath, Volume: v.Name}
			var err error
			if v.PersistentVolumeClaim != nil {
				mount.HostPath, err = p.files.source.claimed(ctx, p.Namespace, v.PersistentVolumeClaim.ClaimName)
			} else {
				mount.Files, err = p.files.volume(ctx, v, true)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, mount)
		}
	}
	return out, nil
}

// hostPath returns the directory of a bound volume. Tests use no other kind.
func hostPath(volume *corev1.PersistentVolume) (string, error) {
	if volume.Spec.HostPath == nil {
		return "", fmt.Errorf("persistent volume %s is no hostPath, the only kind that the pod player can mount", volume.Name)
	}
	return volume.Spec.HostPath.Path, nil
}
