// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// watched starts an observer. The returned function reports whether the observer has reported a
// violation of a rule.
func watched(t *testing.T, client *fake.FakeDynamicClient, server *takaro.Server,
	planted ...takaro.Domain) (*Observer, func(check.Rule) bool) {
	t.Helper()
	var mu sync.Mutex
	var found []check.Violation
	outside := func() check.Outside {
		now := check.Outside{Domains: server.Domains()}
		for _, domain := range planted {
			now.Planted = append(now.Planted, check.Planted{Domain: domain})
		}
		return now
	}
	o, err := Start(client, outside, func(v check.Violation) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, v)
	})
	require.NoError(t, err)
	t.Cleanup(o.Stop)
	return o, func(rule check.Rule) bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.ContainsFunc(found, func(v check.Violation) bool { return v.Rule == rule })
	}
}

func client(t *testing.T, texts ...string) *fake.FakeDynamicClient {
	t.Helper()
	kinds := map[schema.GroupVersionResource]string{}
	for kind, resource := range Resources {
		kinds[resource] = kind + "List"
	}
	var objects []runtime.Object
	for _, text := range texts {
		data, err := yaml.YAMLToJSON([]byte(text))
		require.NoError(t, err)
		in := &unstructured.Unstructured{}
		require.NoError(t, in.UnmarshalJSON(data))
		objects = append(objects, in)
	}
	return fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, objects...)
}

func eventually(t *testing.T, check func() bool) {
	t.Helper()
	require.Eventually(t, check, 30*time.Second, 10*time.Millisecond)
}

func TestADomainThatSaysReadyIsComparedWithTakaro(t *testing.T) {
	_, told := watched(t, client(t, domain), takaro.New(takaro.Options{}))
	eventually(t, func() bool { return told(check.NotReady) })
}

func TestWhatIsSoIsNotToldOf(t *testing.T) {
	server := takaro.New(takaro.Options{})
	planted, _, err := server.PlantDomain(takaro.Seed{Name: "foreign"})
	require.NoError(t, err)
	c := client(t, domain)
	o, told := watched(t, c, server, planted)
	eventually(t, func() bool { return len(o.Watched()) == 1 })
	stored, err := Stored(t.Context(), c)
	require.NoError(t, err)
	require.Empty(t, check.Watched(o.Watched(), stored))
	require.Empty(t, o.Busy())
	require.False(t, told(check.Twice))
	require.False(t, told(check.Foreign))

	server.RemoveDomain(planted.ID)
	eventually(t, func() bool { return told(check.Foreign) })
	for range 2 {
		_, _, err := server.PlantDomain(takaro.Seed{Name: "same"})
		require.NoError(t, err)
	}
	eventually(t, func() bool { return told(check.Twice) })
}

func TestAnOwnerThatIsReadyWithAnotherOne(t *testing.T) {
	c := client(t, domain)
	o, told := watched(t, c, takaro.New(takaro.Options{}))
	eventually(t, func() bool { return told(check.NotReady) })
	require.False(t, told(check.Twice))
	domains := c.Resource(Resources[check.Domain]).Namespace("ns")
	stored, err := domains.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, unstructured.SetNestedField(stored.Object, "2", "status", "domainId"))
	_, err = domains.Update(t.Context(), stored, metav1.UpdateOptions{})
	require.NoError(t, err)
	eventually(t, func() bool { return told(check.Twice) })
	require.Empty(t, o.Busy())
}
