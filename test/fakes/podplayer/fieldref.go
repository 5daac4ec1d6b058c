// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// fieldValue returns a field of the downward API. An absent label or annotation is an empty text,
// as in a kubelet.
func fieldValue(pod *corev1.Pod, path string) (string, error) {
	if field, rest, found := strings.Cut(path, "['"); found && strings.HasSuffix(rest, "']") {
		switch key := strings.TrimSuffix(rest, "']"); field {
		case "metadata.labels":
			return pod.Labels[key], nil
		case "metadata.annotations":
			return pod.Annotations[key], nil
		}
	}
	switch path {
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	case "metadata.labels":
		return lines(pod.Labels), nil
	case "metadata.annotations":
		return lines(pod.Annotations), nil
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return pod.Status.PodIP, nil
	case "status.hostIP", "status.hostIPs":
		return pod.Status.HostIP, nil
	}
	return "", fmt.Errorf("field %q of the downward API is not one that the pod player knows", path)
}

// lines formats all labels or annotations as in a volume: one key="value" per line, sorted.
func lines(m map[string]string) string {
	out := make([]string, 0, len(m))
	for k, v := range m {
		out = append(out, k+"="+strconv.Quote(v))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
