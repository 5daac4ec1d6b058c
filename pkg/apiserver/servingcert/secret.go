// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"crypto/tls"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
)

const (
	// SecretName is the Secret in the installation's namespace that holds the serving certificate and its CA.
	SecretName = "roadstead-serving"
	// CAKey is the CA certificate in the Secret; tls.crt and tls.key are the serving pair, ca.key signs the next one.
	CAKey        = "ca.crt"
	caPrivateKey = "ca.key"
)

// Serving is what the server needs of the Secret, in PEM.
type Serving struct {
	CA, Cert, Key []byte
}

// Ensure returns the installation's serving certificate, made now if there is none. Of several replicas that start
// together the first one's is used by all.
func Ensure(ctx context.Context, client kubernetes.Interface, namespace, service string, clock clock.PassiveClock) (Serving, error) {
	secrets := client.CoreV1().Secrets(namespace)
	secret, err := secrets.Get(ctx, SecretName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		fresh, issueErr := newSecret(namespace, service, clock)
		if issueErr != nil {
			return Serving{}, issueErr
		}
		secret, err = secrets.Create(ctx, fresh, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			secret, err = secrets.Get(ctx, SecretName, metav1.GetOptions{})
		}
	}
	if err != nil {
		return Serving{}, fmt.Errorf("serving certificate in Secret %s/%s: %w", namespace, SecretName, err)
	}
	serving := Serving{CA: secret.Data[CAKey], Cert: secret.Data[corev1.TLSCertKey], Key: secret.Data[corev1.TLSPrivateKeyKey]}
	if _, err := tls.X509KeyPair(serving.Cert, serving.Key); err != nil || len(serving.CA) == 0 {
		return Serving{}, fmt.Errorf("serving certificate: Secret %s/%s does not hold %s, %s and %s that fit together: delete it and restart, and a new one is made",
			namespace, SecretName, CAKey, corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	}
	return serving, nil
}

func newSecret(namespace, service string, clock clock.PassiveClock) (*corev1.Secret, error) {
	host := fmt.Sprintf("%s.%s.svc", service, namespace)
	ca, serving, err := issue([]string{host, host + ".cluster.local"}, clock.Now())
	if err != nil {
		return nil, err
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: SecretName},
		Type:       corev1.SecretTypeTLS,
		Data: map[string][]byte{
			CAKey:                   ca.cert,
			caPrivateKey:            ca.key,
			corev1.TLSCertKey:       serving.cert,
			corev1.TLSPrivateKeyKey: serving.key,
		},
	}, nil
}
