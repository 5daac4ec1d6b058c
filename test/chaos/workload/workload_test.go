// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/chaos/observe"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// newWorld returns a cluster that only stores objects.
func newWorld() (*world.World, *dynamicfake.FakeDynamicClient) {
	kinds := map[schema.GroupVersionResource]string{definitions: "CustomResourceDefinitionList", snapshots: "CRDSnapshotList"}
	for kind, resource := range observe.Resources {
		kinds[resource] = kind + "List"
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
	client.PrependReactor("create", "*", func(action k8stesting.Action) (bool, runtime.Object, error) {
		if create, ok := action.(k8stesting.CreateAction); ok {
			if object, ok := create.GetObject().(*unstructured.Unstructured); ok {
				object.SetUID(types.UID("uid-" + object.GetName()))
			}
		}
		return false, nil, nil
	})
	return &world.World{Options: world.Options{Out: io.Discard}, Begin: time.Now(), Client: fake.NewClientset(), Dynamic: client,
		TakaroURL: "http://a", ConnectorURL: "ws://a", FailingURL: "http://b", Takaro: takaro.New(takaro.Options{}),
		Failing: takaro.New(takaro.Options{})}, client
}

func TestClientsNoteWhatTheyWereTold(t *testing.T) {
	w, client := newWorld()
	h := history.New(time.Now())
	l := New(w, h, []takaro.Domain{{ExternalReference: "foreign"}})
	var operations []plan.Operation
	for i, do := range []plan.Verb{
		plan.CreateDomain, plan.CreateUser, plan.CreateMockServer, plan.Patch, plan.Patch, plan.ClaimForeign, plan.ClaimForeign,
		plan.DeleteNamespace, plan.CreateUser, plan.CreateDomain, plan.CreateUser, plan.Delete,
	} {
		operations = append(operations, plan.Operation{Do: do, Pick: uint32(forms * i)})
	}
	l.AddFailing(t.Context())
	l.Run(t.Context(), time.Now(), plan.Plan{Operations: [][]plan.Operation{operations}})

	made := map[history.Key]bool{}
	verbs := map[history.Verb]int{}
	for _, write := range h.Writes() {
		require.Equal(t, history.Acknowledged, write.Outcome, "%+v", write)
		verbs[write.Verb]++
		if write.Verb == history.Create {
			require.False(t, made[write.Key], "no name is used twice")
			made[write.Key] = true
		}
	}
	require.Equal(t, map[history.Verb]int{history.Create: 7, history.Read: 4, history.Change: 2, history.Delete: 2,
		history.DeleteNamespace: 1}, verbs)

	stored, err := client.Resource(observe.Resources[check.Domain]).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var names []string
	for _, one := range stored.Items {
		object := observe.Object(&one)
		names = append(names, object.Name)
		require.NotZero(t, object.Mark)
		require.Empty(t, object.Reference, "it was deleted again")
	}
	require.True(t, slices.Contains(names, "chaos-failing-1-domain1"), "%v", names)
	require.Empty(t, l.Attempts())
}

func TestCreateDomain_Forms(t *testing.T) {
	w, client := newWorld()
	var operations []plan.Operation
	for pick := range uint32(forms) {
		operations = append(operations, plan.Operation{Do: plan.CreateDomain, Pick: pick})
	}
	// mostDomains is the limit per namespace.
	for first := 0; first < forms; first += mostDomains {
		l := New(w, history.New(time.Now()), nil)
		l.Run(t.Context(), time.Now(), plan.Plan{Operations: [][]plan.Operation{
			append([]plan.Operation{{Do: plan.DeleteNamespace}}, operations[first:min(first+mostDomains, forms)]...),
		}})
		list, err := client.Resource(observe.Resources[check.Domain]).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.NotEmpty(t, list.Items)
		for i := range list.Items {
			object := observe.Object(&list.Items[i])
			kept := object.Adopt || object.Policy != ""
			require.Equal(t, kept, l.Kept()[object.Name], "%+v", object)
			require.Equal(t, object.Reference != "", strings.HasPrefix(object.Reference, "typed-"))
			if object.Adopt {
				_, found := w.Takaro.DomainByReference(object.Reference)
				require.True(t, found)
			}
			require.NoError(t, client.Resource(observe.Resources[check.Domain]).Namespace(object.Key.Namespace).Delete(t.Context(),
				object.Key.Name, metav1.DeleteOptions{}))
		}
	}
	shared := 0
	for _, planted := range w.Outside().Planted {
		if planted.Shared {
			shared++
		}
	}
	require.Equal(t, 2, shared)
	require.Len(t, w.Outside().Planted, 4)
	require.Empty(t, w.Takaro.Faults())
}

func TestADomainTakesItsOwnAlong(t *testing.T) {
	c := &client{}
	owner := held{key: history.Key{Kind: check.Domain, Name: "a"}}
	c.held = []held{owner, {key: history.Key{Kind: check.User, Name: "u"}, domain: "a"},
		{key: history.Key{Kind: check.User, Name: "v"}, domain: "b"}}
	require.Equal(t, 2, c.count(check.User))
	c.forget(owner)
	require.Equal(t, 0, c.count(check.Domain))
	require.Equal(t, 1, c.count(check.User))
	_, ok := c.choose(3, func(one held) bool { return one.domain == "a" })
	require.False(t, ok)
}

func TestTheGuardIsAsked(t *testing.T) {
	w, client := newWorld()
	l := New(w, history.New(time.Now()), nil)
	client.PrependReactor("create", "customresourcedefinitions", func(action k8stesting.Action) (bool, runtime.Object, error) {
		object := action.(k8stesting.CreateAction).GetObject().(*unstructured.Unstructured)
		object.SetGeneration(1)
		object.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}}
		snapshot := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "release.roadstead.dev/v1alpha1", "kind": "CRDSnapshot", "metadata": map[string]any{"name": object.GetName()},
			"spec": map[string]any{"generation": int64(1)},
		}}
		return false, nil, client.Tracker().Create(snapshots, snapshot, "")
	})
	l.Run(t.Context(), time.Now(), plan.Plan{Operations: [][]plan.Operation{{{Do: plan.ChangeCRD, Pick: 0}, {Do: plan.ChangeCRD, Pick: 1}}}})
	attempts := l.Attempts()
	require.Len(t, attempts, 2)
	for _, attempt := range attempts {
		require.True(t, attempt.Passed, "nobody guards")
		require.True(t, attempt.Seen)
	}
	require.NotEqual(t, attempts[0].Harmless, attempts[1].Harmless)
}
