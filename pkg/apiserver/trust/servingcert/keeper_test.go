// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
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

// stage is a cluster for a Keeper.
type stage struct {
	client     *fake.Clientset
	aggregator *aggregator.Clientset
	clock      *clocktesting.FakePassiveClock
}

func newStage(objects ...runtime.Object) *stage {
	return &stage{client: fake.NewClientset(objects...), aggregator: aggregator.NewSimpleClientset(),
		clock: clocktesting.NewFakePassiveClock(now)}
}

func (s *stage) new(t *testing.T) (*Keeper, error) {
	return New(t.Context(), Options{
		Client: s.client, Aggregator: s.aggregator, Namespace: "ns", Service: "svc",
		APIServices: []string{"v1.one", "v1.two"}, Clock: s.clock,
	})
}

func (s *stage) secret(t *testing.T) *corev1.Secret {
	t.Helper()
	secret, err := s.client.CoreV1().Secrets("ns").Get(t.Context(), SecretName, metav1.GetOptions{})
	require.NoError(t, err)
	return secret
}

func (s *stage) addAPIService(t *testing.T, name string, spec apiregistration.APIServiceSpec) {
	t.Helper()
	_, err := s.aggregator.ApiregistrationV1().APIServices().Create(t.Context(),
		&apiregistration.APIService{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func (s *stage) bundle(t *testing.T, name string) string {
	t.Helper()
	service, err := s.aggregator.ApiregistrationV1().APIServices().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return string(service.Spec.CABundle)
}

func TestACertificateIsMadeOnce(t *testing.T) {
	s := newStage()
	first, err := s.new(t)
	require.NoError(t, err)
	second, err := s.new(t)
	require.NoError(t, err)
	require.Equal(t, first.served.Load(), second.served.Load())
	require.Equal(t, corev1.SecretTypeTLS, s.secret(t).Type)
	certificate, key := first.CurrentCertKeyContent()
	require.Equal(t, s.secret(t).Data[corev1.TLSCertKey], certificate)
	require.Equal(t, s.secret(t).Data[corev1.TLSPrivateKeyKey], key)
	require.Equal(t, "Secret ns/roadstead-serving", first.Name())
}

func TestTheFirstOfTwoReplicasWins(t *testing.T) {
	s := newStage()
	theirs, err := s.new(t)
	require.NoError(t, err)
	late := newStage(s.secret(t))
	looks := 0
	late.client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		looks++
		if looks == 1 { // before the other replica's create
			return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, SecretName)
		}
		return false, nil, nil
	})
	mine, err := late.new(t)
	require.NoError(t, err)
	require.Equal(t, theirs.served.Load(), mine.served.Load())
}

func TestADamagedSecretIsSaidAtTheStart(t *testing.T) {
	s := newStage(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: SecretName},
		Data: map[string][]byte{"tls.crt": []byte("geheim")}})
	_, err := s.new(t)
	require.ErrorContains(t, err, "Secret ns/roadstead-serving is damaged (tls.crt and tls.key are not a certificate and its key): "+
		"delete it and restart")
	require.NotContains(t, err.Error(), "geheim")
	s.client.PrependReactor("get", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, SecretName, nil)
	})
	_, err = s.new(t)
	require.True(t, apierrors.IsForbidden(err))
}

// listener counts its notifications.
type listener struct{ told atomic.Int32 }

func (l *listener) Enqueue() { l.told.Add(1) }

func eventually(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, 30*time.Second, 10*time.Millisecond, what)
}

func TestRunKeepsAllInStep(t *testing.T) {
	t.Parallel()
	s := newStage()
	s.addAPIService(t, "v1.one", apiregistration.APIServiceSpec{})
	k, err := s.new(t)
	require.NoError(t, err)
	heard := &listener{}
	k.AddListener(heard)
	require.NoError(t, k.RunOnce(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.Run(ctx, 1)
	}()
	defer func() { cancel(); <-ended }()

	ca := func() string { return string(s.secret(t).Data[caKey]) }
	eventually(t, func() bool { return s.bundle(t, "v1.one") == ca() }, "the APIService trusts the CA")
	s.addAPIService(t, "v1.two", apiregistration.APIServiceSpec{})
	eventually(t, func() bool { return s.bundle(t, "v1.two") == ca() }, "so does one that comes later")

	service, err := s.aggregator.ApiregistrationV1().APIServices().Get(t.Context(), "v1.one", metav1.GetOptions{})
	require.NoError(t, err)
	service.Spec.CABundle = nil
	_, err = s.aggregator.ApiregistrationV1().APIServices().Update(t.Context(), service, metav1.UpdateOptions{})
	require.NoError(t, err)
	eventually(t, func() bool { return s.bundle(t, "v1.one") == ca() }, "a bundle that was changed is written back")

	before, _ := k.CurrentCertKeyContent()
	s.clock.SetTime(now.Add(servingLife / 4 * 3))
	eventually(t, func() bool {
		// Trust settles only while the clock advances.
		s.clock.SetTime(s.clock.Now().Add(time.Second))
		after, _ := k.CurrentCertKeyContent()
		return string(after) != string(before)
	}, "the certificate is renewed")
	eventually(t, func() bool { return heard.told.Load() == 1 }, "who listens is told, once it is served")
	require.Contains(t, string(s.secret(t).Data[retiredKey]), string(before))

	before, _ = k.CurrentCertKeyContent()
	require.NoError(t, s.client.CoreV1().Secrets("ns").Delete(t.Context(), SecretName, metav1.DeleteOptions{}))
	eventually(t, func() bool {
		secret, err := s.client.CoreV1().Secrets("ns").Get(t.Context(), SecretName, metav1.GetOptions{})
		return err == nil && string(secret.Data[corev1.TLSCertKey]) == string(before)
	}, "a deleted Secret comes back with the certificate that is served")
	damaged := s.secret(t)
	damaged.Data[corev1.TLSPrivateKeyKey] = []byte("damaged")
	_, err = s.client.CoreV1().Secrets("ns").Update(t.Context(), damaged, metav1.UpdateOptions{})
	require.NoError(t, err)
	eventually(t, func() bool { _, err := parse(s.secret(t).Data); return err == nil }, "so does a damaged one")

	lease, err := s.client.CoordinationV1().Leases("ns").Get(t.Context(), LeaseName, metav1.GetOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, *lease.Spec.HolderIdentity)
}

// looker returns a Keeper that is the leader, and the state that it checks.
func looker(t *testing.T) (*stage, *Keeper) {
	t.Helper()
	s := newStage()
	k, err := s.new(t)
	require.NoError(t, err)
	k.leads = func() bool { return true }
	s.client.ClearActions()
	return s, k
}

func TestALookWritesOnlyWhatHasChanged(t *testing.T) {
	s, k := looker(t)
	s.addAPIService(t, "v1.one", apiregistration.APIServiceSpec{CABundle: s.secret(t).Data[caKey]})
	service, err := s.aggregator.ApiregistrationV1().APIServices().Get(t.Context(), "v1.one", metav1.GetOptions{})
	require.NoError(t, err)
	found := cluster{secret: s.secret(t), services: []*apiregistration.APIService{service}}
	s.client.ClearActions()
	s.aggregator.ClearActions()
	require.False(t, k.look(t.Context(), found))
	require.Empty(t, s.client.Actions())
	require.Empty(t, s.aggregator.Actions())

	service.Spec.CABundle = []byte("damaged")
	k.leads = func() bool { return false }
	require.False(t, k.look(t.Context(), found), "only the holder of the Lease writes")
	require.Empty(t, s.aggregator.Actions())
	k.leads = func() bool { return true }
	s.aggregator.PrependReactor("update", "apiservices", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no")
	})
	require.True(t, k.look(t.Context(), found), "what failed is paced as a write")
	require.Len(t, s.aggregator.Actions(), 1)
}

func TestDecide_SecretOfAnotherClient(t *testing.T) {
	s, k := looker(t)
	served := k.served.Load()
	foreign := made(t, now)
	secret, err := newSecret("ns", foreign)
	require.NoError(t, err)
	_, err = s.client.CoreV1().Secrets("ns").Update(t.Context(), secret, metav1.UpdateOptions{})
	require.NoError(t, err)
	old, err := served.bundle()
	require.NoError(t, err)
	service := &apiregistration.APIService{ObjectMeta: metav1.ObjectMeta{Name: "v1.one"}, Spec: apiregistration.APIServiceSpec{CABundle: old}}
	require.True(t, k.look(t.Context(), cluster{secret: secret, services: []*apiregistration.APIService{service}}))
	require.Empty(t, s.aggregator.Actions(), "the bundle is not written before it holds the CA of what is served")
	stored, err := parse(s.secret(t).Data)
	require.NoError(t, err)
	require.Equal(t, foreign.pair, stored.pair)
	require.True(t, stored.knows(served.chain))
	require.Equal(t, served, k.served.Load(), "and the old certificate is served until the new one is trusted")

	s.client.PrependReactor("update", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no")
	})
	require.True(t, k.look(t.Context(), cluster{secret: secret, services: []*apiregistration.APIService{service}}))
	require.Empty(t, s.aggregator.Actions())
}

func TestALeaseIsTakenFromOneThatDied(t *testing.T) {
	t.Parallel()
	long := metav1.NewMicroTime(time.Now().Add(-time.Hour))
	seconds, holder := int32(1), "dead"
	s := newStage(&coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: LeaseName},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &long, RenewTime: &long},
	})
	s.addAPIService(t, "v1.one", apiregistration.APIServiceSpec{InsecureSkipTLSVerify: true})
	s.addAPIService(t, "v1.two", apiregistration.APIServiceSpec{})
	k, err := s.new(t)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.Run(ctx, 1)
	}()
	defer func() { cancel(); <-ended }()
	eventually(t, func() bool { return s.bundle(t, "v1.two") != "" }, "the new holder publishes")
	require.Empty(t, s.bundle(t, "v1.one"), "one that verifies nothing needs no CA")
}
