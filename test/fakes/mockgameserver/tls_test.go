// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/privateca"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// The program trusts the system's CAs and those of NODE_EXTRA_CA_CERTS, which Node ignores if the
// file cannot be used.
func TestExtraAuthority(t *testing.T) {
	serving, authority, err := privateca.New()
	require.NoError(t, err)
	_, other, err := privateca.New()
	require.NoError(t, err)
	s := newStage(t, func(o *takaro.Options) { o.ConnectorTLS = serving })
	require.True(t, strings.HasPrefix(s.takaro.ConnectorURL(), "wss://"))
	s.files["/ca/right.crt"], s.files["/ca/other.crt"], s.files["/ca/empty.crt"] = authority, other, []byte("nothing")

	for _, name := range []string{"", "/ca/other.crt", "/ca/empty.crt", "/ca/absent.crt"} {
		change := map[string]string{}
		if name != "" {
			change["NODE_EXTRA_CA_CERTS"] = name
		}
		a := s.start(change)
		s.eventually("it tries again with "+name, func() bool { return strings.Count(a.log(), "certificate signed by unknown authority") > 1 })
		ignored := name == "/ca/empty.crt" || name == "/ca/absent.crt"
		require.Equal(t, ignored, strings.Contains(a.log(), "Ignoring extra certs from "+name+":"), a.log())
		a.stop()
		require.Zero(t, <-a.exit)
	}
	require.Zero(t, s.takaro.ConnectorCounts().Connections)
	s.start(map[string]string{"NODE_EXTRA_CA_CERTS": "/ca/right.crt"})
	s.eventually("it registers", func() bool { return s.server().Reachable })
}
