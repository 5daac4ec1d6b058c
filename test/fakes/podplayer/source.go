// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"maps"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// source reads the objects from which environment and volumes are built.
type source interface {
	secret(ctx context.Context, namespace, name string) (map[string][]byte, error)
	configMap(ctx context.Context, namespace, name string) (text map[string]string, binary map[string][]byte, err error)
	services(ctx context.Context, namespace string) ([]corev1.Service, error)
	// claimed returns the directory of this machine behind a PersistentVolumeClaim.
	claimed(ctx context.Context, namespace, claim string) (folder string, err error)
	token(ctx context.Context, pod *corev1.Pod, request *corev1.ServiceAccountTokenProjection) (string, error)
}

// clusterSource queries the API server each time, because recent changes of a test must be visible.
type clusterSource struct{ client kubernetes.Interface }

func (s clusterSource) secret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	secret, err := s.client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return secret.Data, nil
}

func (s clusterSource) configMap(ctx context.Context, namespace, name string) (map[string]string, map[string][]byte, error) {
	cm, err := s.client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	return cm.Data, cm.BinaryData, nil
}

func (s clusterSource) services(ctx context.Context, namespace string) ([]corev1.Service, error) {
	list, err := s.client.CoreV1().Services(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func (s clusterSource) claimed(ctx context.Context, namespace, name string) (string, error) {
	claim, err := s.client.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	volume, err := s.client.CoreV1().PersistentVolumes().Get(ctx, claim.Spec.VolumeName, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return hostPath(volume)
}

func (s clusterSource) token(ctx context.Context, pod *corev1.Pod, request *corev1.ServiceAccountTokenProjection) (string, error) {
	want := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: request.ExpirationSeconds,
		BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
	}}
	if request.Audience != "" {
		want.Spec.Audiences = []string{request.Audience}
	}
	got, err := s.client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, want, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return got.Status.Token, nil
}

// bytesOf joins the two kinds of data of a ConfigMap, as a volume shows them.
func bytesOf(text map[string]string, binary map[string][]byte) map[string][]byte {
	out := make(map[string][]byte, len(text)+len(binary))
	maps.Copy(out, binary)
	for k, v := range text {
		out[k] = []byte(v)
	}
	return out
}
