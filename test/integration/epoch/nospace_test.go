// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

// TestRestart_UnderNoSpace restarts the API servers while etcd rejects all puts. They must serve
// reads, and deletes, with which an administrator frees space.
func TestRestart_UnderNoSpace(t *testing.T) {
	all := replicas(2)
	awaitServed(t, all)
	record := env.StoreRecord(t)
	elsewhere := env.Namespace(t)
	path := framework.DomainsPath(elsewhere)
	domains := framework.ClientFor(t, env.Cluster.AdminConfig()).TakaroV1alpha1().Domains(elsewhere)
	domain := func(name string) *v1alpha1.Domain {
		return &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.DomainSpec{TakaroAPIURL: "https://api.takaro.test"}}
	}
	_, err := domains.Create(t.Context(), domain("spent"), metav1.CreateOptions{})
	require.NoError(t, err)

	raiseNoSpace(t)
	require.NoError(t, stop(all))
	for _, one := range all {
		require.NoError(t, one.StartRefusing(t.Context()))
	}
	awaitServed(t, all)
	for _, one := range all {
		answer := framework.Do(t, env.Direct(one.Address()), framework.Request{Path: path + "/spent"})
		require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
	}
	_, err = domains.Create(t.Context(), domain("more"), metav1.CreateOptions{})
	require.Error(t, err)
	require.NoError(t, domains.Delete(t.Context(), "spent", metav1.DeleteOptions{}))
	require.Equal(t, http.StatusNotFound, framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: path + "/spent"}).Code)
	requireCollectorWorks(t)

	disarm(t)
	framework.Await(t, "a write after the alarm", func() error {
		_, err := domains.Create(t.Context(), domain("after"), metav1.CreateOptions{})
		return err
	})
	requireSameStore(t, record)
}

// raiseNoSpace makes the right etcd behave like one that has reached its quota.
func raiseNoSpace(t *testing.T) {
	t.Helper()
	client := stores.right.Client()
	status, err := client.Status(t.Context(), stores.right.URL())
	require.NoError(t, err)
	_, err = pb.NewMaintenanceClient(client.ActiveConnection()).Alarm(t.Context(), &pb.AlarmRequest{
		Action: pb.AlarmRequest_ACTIVATE, MemberID: status.Header.MemberId, Alarm: pb.AlarmType_NOSPACE,
	})
	require.NoError(t, err)
	t.Cleanup(func() { disarm(t) })
	_, err = client.Put(t.Context(), "/full", "")
	require.ErrorContains(t, err, "database space exceeded")
}

// disarm clears the alarm. It can be called repeatedly.
func disarm(t *testing.T) {
	t.Helper()
	_, err := stores.right.Client().AlarmDisarm(context.Background(), &clientv3.AlarmMember{})
	require.NoError(t, err)
}
