// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
)

func TestRights_RevokedAndGranted(t *testing.T) {
	missingRights.Reset()
	client := newHost("flowschemas")
	revoked, failure := "", error(nil)
	reviews(client, func(a authorizationv1.ResourceAttributes) (bool, error) { return a.Resource != revoked, failure })
	off, err := Await(t.Context(), client, Parts(), quick)
	require.NoError(t, err)
	require.Len(t, off, 1)
	rights := NewRights(client, Parts(), off)
	require.NoError(t, rights.Check(nil), "they were granted at the start")

	revoked = "prioritylevelconfigurations"
	rights.probe(t.Context())
	require.NoError(t, rights.Check(nil), "what is off needs no right")

	revoked = "resourcequotas"
	rights.probe(t.Context())
	lost := "ResourceQuota: this server lacks the permission to list resourcequotas, update resourcequotas/status, watch resourcequotas " +
		"in the cluster; " +
		"apply the ClusterRole roadstead-apiserver of this release's manifests, or set --disable-admission-plugins=ResourceQuota"
	require.EqualError(t, rights.Check(nil), lost)
	require.Equal(t, 1., gauge(t, missingRights, "ResourceQuota"))
	require.Equal(t, 0., gauge(t, missingRights, "NamespaceLifecycle"))

	revoked, failure = "", errors.New("the cluster does not answer")
	rights.probe(t.Context())
	require.EqualError(t, rights.Check(nil), lost, "no answer is no news")

	failure = nil
	rights.probe(t.Context())
	require.NoError(t, rights.Check(nil))
	require.Equal(t, 0., gauge(t, missingRights, "ResourceQuota"))

	failure = errors.New("the cluster does not answer")
	rights.probe(t.Context())
	require.NoError(t, rights.Check(nil))
}
