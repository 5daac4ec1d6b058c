// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const address = "https://api.takaro.example"

func clusterWith(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	kinds := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	return fake.NewClientBuilder().WithScheme(kinds).WithStatusSubresource(&v1alpha1.TakaroEndpoint{}).WithObjects(objects...).Build()
}

func endpointOf(installation, url string, left ...string) *v1alpha1.TakaroEndpoint {
	e := &v1alpha1.TakaroEndpoint{
		ObjectMeta: metav1.ObjectMeta{Namespace: "roadstead-system", Name: "api"},
		Spec:       v1alpha1.TakaroEndpointSpec{URL: url},
		Status:     v1alpha1.TakaroEndpointStatus{Installation: installation},
	}
	for _, id := range left {
		e.Status.Left = append(e.Status.Left, v1alpha1.LeftDomain{ID: id})
	}
	return e
}

func domainWith(uid string, status v1alpha1.DomainStatus) *v1alpha1.Domain {
	return &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "d" + uid, UID: types.UID(uid)}, Status: status}
}

func TestIn_SparesWhatIsRecorded(t *testing.T) {
	records := &ownership.Status{Records: []ownership.Record{
		{Kind: "Domain", ID: "held", Key: "roadstead:here:100", State: ownership.Held},
		{Kind: "Domain", ID: "lost", Key: "roadstead:here:100", State: ownership.Lost},
		{Kind: "Domain", Key: "roadstead:here:101", State: ownership.Intended},
	}}
	known, elsewhere := endpointOf("here", address, "left", "roadstead:here:102"), endpointOf("here", address+"/path")
	known.Status.Anchor = &v1alpha1.Anchor{ID: "anchor"}
	elsewhere.Name = "elsewhere"
	cluster := clusterWith(t,
		known, elsewhere,
		domainWith("1", v1alpha1.DomainStatus{}),
		// Restored from a backup: a different UID, the same domain.
		domainWith("2", v1alpha1.DomainStatus{Ownership: records}),
		// Stored by a release without a ledger.
		domainWith("3", v1alpha1.DomainStatus{DomainID: "old", ExternalReferenceID: "roadstead:here:103"}),
	)
	recorded, err := In(cluster, "here", address)(t.Context())
	require.NoError(t, err)
	require.Len(t, recorded.endpoints, 1)
	assert.Equal(t, "anchor", recorded.endpoints[0].Status.Anchor.ID)
	cases := map[string]struct {
		id, uid string
		spared  bool
	}{
		"a Domain exists":              {"x", "1", true},
		"held by a restored Domain":    {"held", "90", true},
		"lost by a restored Domain":    {"lost", "91", true},
		"an intended create":           {"x", "101", true},
		"left in Takaro":               {"left", "92", true},
		"left in Takaro without an id": {"x", "102", true},
		"output of an earlier release": {"old", "93", true},
		"its reference":                {"x", "103", true},
		"recorded nowhere":             {"x", "94", false},
	}
	for name, c := range cases {
		reference := "roadstead:here:" + c.uid
		orphans := Orphans([]takaro.Domain{{ID: c.id, ExternalReference: &reference}}, "here", recorded)
		assert.Equal(t, c.spared, len(orphans) == 0, name)
	}
}

// TestIn_AnotherCluster covers a kubeconfig of another cluster, in which no Domain of the
// installation exists: every domain would be an orphan.
func TestIn_AnotherCluster(t *testing.T) {
	cases := map[string]struct {
		objects []client.Object
		says    string
	}{
		"empty":                {nil, "it has no TakaroEndpoint"},
		"another installation": {[]client.Object{endpointOf("there", address)}, `of installation "there" at ` + address},
		"another Takaro":       {[]client.Object{endpointOf("here", "https://other.example")}, `of installation "here" at https://other.example`},
		"not stamped yet":      {[]client.Object{endpointOf("", address)}, "does not prove"},
	}
	for name, c := range cases {
		recorded, err := In(clusterWith(t, c.objects...), "here", address)(t.Context())
		assert.Nil(t, recorded, name)
		assert.ErrorContains(t, err, c.says, name)
		assert.ErrorContains(t, err, "--cluster-is-lost", name)
	}
}

// TestIn_ReadsWhatTheKeeperLeft is an end-to-end test: domains that a deletion left are not swept.
func TestIn_ReadsWhatTheKeeperLeft(t *testing.T) {
	cluster := clusterWith(t)
	keeper := takaroendpoint.New(takaroendpoint.Config{
		Client: cluster, Live: cluster, Namespace: "roadstead-system", Installation: "here", Clock: testingclock.NewFakeClock(metav1.Now().Time),
	})
	resolved := endpoint.Resolved{Endpoint: takaro.Endpoint{URL: address}}
	require.NoError(t, keeper.Leave(t.Context(), domainWith("1", v1alpha1.DomainStatus{}), resolved, []string{"left"}))
	recorded, err := In(cluster, "here", address)(t.Context())
	require.NoError(t, err)
	assert.True(t, recorded.ids["left"])
}

// TestIn_Pages covers more objects than fit in a page, and a page that fails.
func TestIn_Pages(t *testing.T) {
	broken := errors.New("broken")
	var fail bool
	cluster := interceptor.NewClient(clusterWith(t, endpointOf("here", address)), interceptor.Funcs{
		List: func(ctx context.Context, api client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			domains, ok := list.(*v1alpha1.DomainList)
			if !ok {
				return api.List(ctx, list, options...)
			}
			asked := (&client.ListOptions{}).ApplyOptions(options)
			switch {
			case asked.Continue == "":
				domains.Items, domains.Continue = append(domains.Items, *domainWith("1", v1alpha1.DomainStatus{DomainID: "one"})), "next"
			case fail:
				return broken
			default:
				domains.Items = append(domains.Items, *domainWith("2", v1alpha1.DomainStatus{}))
			}
			return nil
		},
	})
	recorded, err := In(cluster, "here", address)(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"1": true, "2": true}, recorded.uids)
	fail = true
	_, err = In(cluster, "here", address)(t.Context())
	assert.ErrorIs(t, err, broken)
}
