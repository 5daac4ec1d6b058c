// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

// listServer responds to lists of metadata of Secrets. Each namespace contains one Secret with
// everything that the cache must not contain. It rejects watch lists, as older API servers do, and
// records the requested paths.
type listServer struct {
	mu    sync.Mutex
	paths sets.Set[string]
}

func (s *listServer) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	s.mu.Lock()
	s.paths.Insert(in.URL.Path)
	s.mu.Unlock()
	out.Header().Set("Content-Type", "application/json")
	switch query := in.URL.Query(); {
	case query.Get("sendInitialEvents") != "":
		out.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = fmt.Fprint(out, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
	case query.Get("watch") != "":
		out.WriteHeader(http.StatusOK)
		out.(http.Flusher).Flush()
		<-in.Context().Done()
	default:
		_, _ = fmt.Fprintf(out, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"items":[
			{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"namespace":%q,"name":"s","resourceVersion":"1",
			"annotations":{%q:"password"},"managedFields":[{"manager":"kubectl"}]}}]}`,
			strings.Split(in.URL.Path+"/all/all/all/all", "/")[4], corev1.LastAppliedConfigAnnotation)
	}
}

// TestManagerOptions_SecretsAreWatched checks that the cache requests Secrets of the namespaces
// that may be used, and strips them.
func TestManagerOptions_SecretsAreWatched(t *testing.T) {
	for name, c := range map[string]struct {
		usable []string
		paths  []string
	}{
		"all":  {nil, []string{"/api/v1/secrets"}},
		"some": {[]string{"system", "a"}, []string{"/api/v1/namespaces/a/secrets", "/api/v1/namespaces/system/secrets"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &listServer{paths: sets.New[string]()}
			front := httptest.NewServer(server)
			ctx, cancel := context.WithCancel(t.Context())
			kinds, err := newScheme()
			require.NoError(t, err)
			mapper := meta.NewDefaultRESTMapper(nil)
			for _, kind := range []string{"Secret", "Pod"} {
				mapper.Add(corev1.SchemeGroupVersion.WithKind(kind), meta.RESTScopeNamespace)
			}
			mapper.Add(appsv1.SchemeGroupVersion.WithKind("StatefulSet"), meta.RESTScopeNamespace)
			options := NewOptions()
			options.usableNamespaces = c.usable
			cached := options.managerOptions(kinds, &health{}).Cache
			cached.Scheme, cached.Mapper = kinds, mapper
			held, err := cache.New(&rest.Config{Host: front.URL}, cached)
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- held.Start(ctx) }()
			t.Cleanup(func() {
				cancel()
				assert.NoError(t, <-ended)
				front.Close()
			})
			require.True(t, held.WaitForCacheSync(ctx)) // also waits for the start
			_, err = held.GetInformer(ctx, secrets.Metadata())
			require.NoError(t, err)
			for _, namespace := range c.usable {
				found := secrets.Metadata()
				require.NoError(t, held.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "s"}, found))
				assert.Empty(t, found.Annotations)
				assert.Empty(t, found.ManagedFields)
			}
			if c.usable == nil {
				require.NoError(t, held.Get(ctx, client.ObjectKey{Namespace: "all", Name: "s"}, secrets.Metadata()))
			}
			server.mu.Lock()
			defer server.mu.Unlock()
			assert.ElementsMatch(t, c.paths, server.paths.UnsortedList())
		})
	}
}
