// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"
)

// caBundle returns a new CA in the encoding of a manifest.
func caBundle(t *testing.T) string {
	t.Helper()
	chain, _, err := cert.GenerateSelfSignedCertKey("b.a.svc", nil, nil)
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(chain)
}
