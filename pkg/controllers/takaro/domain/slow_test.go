// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// neverAnswers simulates a Takaro that accepts requests and never responds.
func neverAnswers(_ http.ResponseWriter, in *http.Request) {
	_, _ = io.Copy(io.Discard, in.Body) // otherwise the end of the connection is not detected
	<-in.Context().Done()
}

// The other endpoints are still compared while one does not respond.
func TestEndpointThatNeverAnswersDelaysNoOther(t *testing.T) {
	w, comparer := watching(t)
	silent := httptest.NewServer(http.HandlerFunc(neverAnswers))
	t.Cleanup(silent.Close)
	t.Cleanup(silent.CloseClientConnections)
	other := w.Object()
	other.ObjectMeta = metav1.ObjectMeta{Namespace: other.Namespace, Name: "silent", UID: "99999999-0000-0000-0000-000000000001",
		Generation: 1}
	other.Spec.TakaroAPIURL, other.Status = silent.URL, v1alpha1.DomainStatus{}
	w.Add(other)

	ctx, cancel := context.WithCancel(t.Context())
	comparer.ComparePeriod = time.Millisecond
	var running sync.WaitGroup
	running.Go(func() { comparer.loop().Run(ctx) })
	require.Eventually(t, func() bool { return w.Takaro.Count(http.MethodPost, "/domain/search") >= 3 }, 4*time.Second, time.Millisecond,
		"requests to the silent endpoint time out after 5 s")
	cancel()
	running.Wait()
}
