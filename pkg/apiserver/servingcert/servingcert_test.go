// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset/fake"
	clocktesting "k8s.io/utils/clock/testing"
)

var now = time.Now()

func ensure(t *testing.T, client *fake.Clientset) (Serving, error) {
	t.Helper()
	return Ensure(t.Context(), client, "ns", "svc", clocktesting.NewFakePassiveClock(now))
}

func TestACertificateIsMadeOnce(t *testing.T) {
	client := fake.NewClientset()
	first, err := ensure(t, client)
	require.NoError(t, err)
	second, err := ensure(t, client)
	require.NoError(t, err)
	require.Equal(t, first, second)

	pair, err := tls.X509KeyPair(first.Cert, first.Key)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(first.CA))
	for _, host := range []string{"svc.ns.svc", "svc.ns.svc.cluster.local"} {
		_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
		require.NoError(t, err, host)
	}
	_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: "other.ns.svc", Roots: roots, CurrentTime: now})
	require.Error(t, err)
	require.WithinDuration(t, now.Add(servingLife), pair.Leaf.NotAfter, time.Minute)
	require.True(t, pair.Leaf.NotBefore.Before(now))
	block, _ := pem.Decode(first.CA)
	ca, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	require.True(t, ca.IsCA)
	require.NotEqual(t, ca.SerialNumber, pair.Leaf.SerialNumber)
}

func TestTheFirstOfTwoReplicasWins(t *testing.T) {
	client := fake.NewClientset()
	theirs, err := ensure(t, client)
	require.NoError(t, err)
	secret, err := client.CoreV1().Secrets("ns").Get(t.Context(), SecretName, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, corev1.SecretTypeTLS, secret.Type)

	late := fake.NewClientset(secret)
	looks := 0
	late.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		looks++
		if looks == 1 { // before the other replica's create
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, SecretName)
		}
		return false, nil, nil
	})
	mine, err := ensure(t, late)
	require.NoError(t, err)
	require.Equal(t, theirs, mine)
}

func TestADamagedSecretIsSaid(t *testing.T) {
	client := fake.NewClientset(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: SecretName}, Data: map[string][]byte{"tls.crt": []byte("geheim")}})
	_, err := ensure(t, client)
	require.ErrorContains(t, err, "Secret ns/roadstead-serving does not hold ca.crt, tls.crt and tls.key that fit together: delete it and restart")
	require.NotContains(t, err.Error(), "geheim")
	client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, SecretName, nil)
	})
	_, err = ensure(t, client)
	require.True(t, apierrors.IsForbidden(err))
}

func TestPublishCA(t *testing.T) {
	client := aggregator.NewSimpleClientset(&apiregistration.APIService{ObjectMeta: metav1.ObjectMeta{Name: "one"}})
	services := client.ApiregistrationV1().APIServices()
	bundle := func(name string) string {
		service, err := services.Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		return string(service.Spec.CABundle)
	}
	PublishCA(t.Context(), services, []string{"one"}, []byte("ca"))
	require.Equal(t, "ca", bundle("one"))
	client.ClearActions()
	PublishCA(t.Context(), services, []string{"one"}, []byte("ca"))
	require.Len(t, client.Actions(), 1, "what is there already is not written again")

	// One that is not there yet is waited for, and a conflict tried again.
	conflicts := 0
	client.PrependReactor("update", "apiservices", func(clienttesting.Action) (bool, runtime.Object, error) {
		conflicts++
		if conflicts == 1 {
			return true, nil, apierrors.NewConflict(schema.GroupResource{Resource: "apiservices"}, "two", nil)
		}
		return false, nil, nil
	})
	missed := make(chan struct{})
	client.PrependReactor("get", "apiservices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.(clienttesting.GetAction).GetName() == "two" && conflicts == 0 {
			select {
			case <-missed:
			default:
				close(missed)
				return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "apiservices"}, "two")
			}
		}
		return false, nil, nil
	})
	_, err := services.Create(t.Context(), &apiregistration.APIService{ObjectMeta: metav1.ObjectMeta{Name: "two"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	PublishCA(ctx, services, []string{"one", "two"}, []byte("ca"))
	require.Equal(t, "ca", bundle("two"))
	require.Equal(t, 2, conflicts)

	ended, stop := context.WithCancel(t.Context())
	stop()
	PublishCA(ended, services, []string{"never"}, []byte("ca"))
}
