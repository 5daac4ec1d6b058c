// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

func TestOnlyAFullEtcdFailsTheQuotaCheck(t *testing.T) {
	_, client := up(t, t.TempDir())
	require.NoError(t, CheckQuota(client)(httptest.NewRequest(http.MethodGet, "/readyz", nil)))
	require.NoError(t, quotaProblem([]*pb.AlarmMember{{Alarm: pb.AlarmType_CORRUPT}}))
	require.ErrorContains(t, quotaProblem([]*pb.AlarmMember{{Alarm: pb.AlarmType_NOSPACE}}), "roadstead-apiserver defrag")
	require.NoError(t, client.Close())
	require.NoError(t, CheckQuota(client)(httptest.NewRequest(http.MethodGet, "/readyz", nil)), "other checks tell that etcd is away")
}
