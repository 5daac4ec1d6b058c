// SPDX-License-Identifier: Apache-2.0

package authorization

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// host stands in for the cluster: it answers SubjectAccessReviews by decide, of which several
// calls may run at the same time, and keeps the questions.
type host struct {
	decide func(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus

	mu     sync.Mutex
	asked  []authorizationv1.SubjectAccessReviewSpec
	broken bool
}

func (h *host) questions() []authorizationv1.SubjectAccessReviewSpec {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// names are the object names of the reviews.
func (h *host) names() []string {
	var names []string
	for _, spec := range h.questions() {
		if spec.ResourceAttributes == nil {
			names = append(names, spec.NonResourceAttributes.Path)
			continue
		}
		names = append(names, spec.ResourceAttributes.Name)
	}
	return names
}

// note records a review and reports whether the stand-in is broken.
func (h *host) note(spec authorizationv1.SubjectAccessReviewSpec) (broken bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, spec)
	return h.broken
}

// start serves the stand-in and returns the authorizer with a cache.
func (h *host) start(t *testing.T, change func(*Config)) authorizer.Authorizer {
	t.Helper()
	return h.both(t, change).Cached
}

// both serves the stand-in and returns both authorizers.
func (h *host) both(t *testing.T, change func(*Config)) *Authorizers {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.Equal(t, "application/vnd.kubernetes.protobuf", r.Header.Get("Content-Type"))
		assert.Equal(t, "/apis/authorization.k8s.io/v1/subjectaccessreviews", r.URL.Path)
		review := &authorizationv1.SubjectAccessReview{}
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(body, nil, review)
		assert.NoError(t, err)
		if h.note(review.Spec) {
			http.Error(w, "on fire", http.StatusTeapot)
			return
		}
		review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SubjectAccessReview"
		review.Status = h.decide(review.Spec)
		w.Header().Set("Content-Type", "application/json")
		assert.NoError(t, json.NewEncoder(w).Encode(review))
	}))
	t.Cleanup(server.Close)
	config := Config{
		Host:              &rest.Config{Host: server.URL},
		QPS:               -1,
		Timeout:           10 * time.Second,
		Backoff:           &wait.Backoff{Steps: 1},
		AllowTTL:          time.Minute,
		DenyTTL:           time.Minute,
		AlwaysAllowGroups: []string{"system:masters"},
		AlwaysAllowPaths:  []string{"/healthz", "/open/*"},
	}
	if change != nil {
		change(&config)
	}
	made, err := New(config)
	require.NoError(t, err)
	return made
}

// allow, deny and noOpinion are decisions.
var (
	allow     = authorizationv1.SubjectAccessReviewStatus{Allowed: true, Reason: "a rule says so"}
	deny      = authorizationv1.SubjectAccessReviewStatus{Denied: true, Reason: "a webhook says no"}
	noOpinion = authorizationv1.SubjectAccessReviewStatus{}
)
