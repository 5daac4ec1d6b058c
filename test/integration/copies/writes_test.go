// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package copies

import (
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// reads are the POST requests that change nothing in Takaro.
var reads = map[string]bool{"/token": true, "/login": true, "/logout": true, "/resolve-registration-token": true}

// isWrite reports whether a request changes something in Takaro.
func isWrite(request takaro.Request) bool {
	switch request.Method {
	case http.MethodGet, http.MethodHead:
		return false
	case http.MethodPost:
		return !reads[request.Path] && !strings.HasSuffix(request.Path, "/search")
	}
	return true
}

// anchor returns the anchor in Takaro.
func (s *site) anchor() takaro.Domain {
	s.t.Helper()
	all := s.takaro.Anchors()
	require.Len(s.t, all, 1)
	return all[0].Domain
}

// holder returns the holder of the anchor.
func (s *site) holder() string { return anchor.HolderOf(s.anchor().Name) }

// writesSince lists the writes that Takaro has received since begin. It omits renewals of the
// anchor by the given holder, whose name is part of the name of the anchor.
func (s *site) writesSince(begin time.Time, holder string) []string {
	s.t.Helper()
	current := s.anchor()
	var writes []string
	for _, request := range s.takaro.Requests() {
		renewal := request.Method == http.MethodPut && request.Path == "/domain/"+current.ID
		if request.Time.Before(begin) || !isWrite(request) || renewal && anchor.HolderOf(current.Name) == holder {
			continue
		}
		writes = append(writes, request.Method+" "+request.Path)
	}
	return writes
}

// during calls check once per second until the time has passed.
func (s *site) during(span time.Duration, check func()) {
	s.t.Helper()
	end, ticker := time.NewTimer(span), time.NewTicker(time.Second)
	defer end.Stop()
	defer ticker.Stop()
	for {
		check()
		select {
		case <-end.C:
			return
		case <-ticker.C:
		}
	}
}
