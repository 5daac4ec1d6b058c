// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/discovery"
	fakediscovery "k8s.io/client-go/discovery/fake"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	fakemetadata "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
)

// The kinds of these tests exist only here, because the plugin must not depend on kinds.
var served = []*metav1.APIResourceList{
	{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "secrets", SingularName: "secret", Kind: "Secret", Namespaced: true, Verbs: all},
		{Name: "pods", SingularName: "pod", Kind: "Pod", Namespaced: true, Verbs: all},
		{Name: "pods/log", Kind: "Pod", Namespaced: true, Verbs: metav1.Verbs{"get"}},
		{Name: "events", SingularName: "event", Kind: "Event", Namespaced: true, Verbs: all},
		{Name: "bindings", Kind: "Binding", Namespaced: true, Verbs: metav1.Verbs{"create"}},
	}},
	{GroupVersion: "toys.roadstead.dev/v1", APIResources: []metav1.APIResource{
		{Name: "realms", SingularName: "realm", Kind: "Realm", Namespaced: true, Verbs: all, Categories: ours, ShortNames: []string{"rlm"}},
		{Name: "realms/status", Kind: "Realm", Namespaced: true, Verbs: metav1.Verbs{"get"}},
		{Name: "gadgets", SingularName: "gadget", Kind: "Gadget", Namespaced: true, Verbs: all, Categories: ours},
		{Name: "gadgets/status", Kind: "Gadget", Namespaced: true, Verbs: metav1.Verbs{"get"}},
		{Name: "labels", SingularName: "label", Kind: "Label", Namespaced: true, Verbs: all, Categories: ours},
		{Name: "questions", SingularName: "question", Kind: "Question", Verbs: metav1.Verbs{"create"}, Categories: ours},
		{Name: "votes", SingularName: "vote", Kind: "Vote", Verbs: all, Categories: ours},
		{Name: "votes/status", Kind: "Vote", Verbs: metav1.Verbs{"get"}},
		{Name: "votes/approve", Kind: "VoteDecision", Verbs: metav1.Verbs{"create"}},
		{Name: "votes/reject", Kind: "VoteDecision", Verbs: metav1.Verbs{"create"}},
	}},
}

var (
	all  = metav1.Verbs{"get", "list", "watch", "create"}
	ours = []string{category}
	now  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// world is a cluster in memory with the tool.
type world struct {
	*tool
	t           *testing.T
	cluster     *cluster
	objects     *fakedynamic.FakeDynamicClient
	metadata    *fakemetadata.FakeMetadataClient
	discovery   *flakyDiscovery
	out, errOut *bytes.Buffer
}

// flakyDiscovery can omit groups, as the discovery of an unavailable server.
type flakyDiscovery struct {
	*fakediscovery.FakeDiscovery
	failed map[schema.GroupVersion]error
}

func (d *flakyDiscovery) ServerGroupsAndResourcesWithContext(ctx context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	groups, lists, err := d.FakeDiscovery.ServerGroupsAndResourcesWithContext(ctx)
	if err == nil && len(d.failed) > 0 {
		err = &discovery.ErrGroupDiscoveryFailed{Groups: d.failed}
	}
	return groups, lists, err
}

// newWorld returns a cluster with the objects in YAML, by default in namespace team.
func newWorld(t *testing.T, manifests string) *world {
	t.Helper()
	w := &world{t: t, out: &bytes.Buffer{}, errOut: &bytes.Buffer{}}
	w.discovery = &flakyDiscovery{FakeDiscovery: &fakediscovery.FakeDiscovery{Fake: &clienttesting.Fake{Resources: served}}}
	kinds := map[schema.GroupVersionResource]string{events: "EventList", apiServices: "APIServiceList"}
	for _, k := range kindsIn(served[1]) {
		kinds[k.resource()] = k.Kind + "List"
	}
	var objects, partials []runtime.Object
	for _, document := range strings.Split(manifests, "---\n") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(document), &object.Object), document)
		if object.GetNamespace() == "" && object.GetKind() != "Vote" && object.GetKind() != "APIService" {
			object.SetNamespace("team")
		}
		if made := object.GetCreationTimestamp(); made.IsZero() {
			object.SetCreationTimestamp(metav1.NewTime(now.Add(-10 * time.Minute)))
		}
		if object.GetUID() == "" {
			object.SetUID(uidOf(object.GetKind(), object.GetName()))
		}
		if kind := object.GetKind(); kind == "Secret" || kind == "Pod" {
			partial := &metav1.PartialObjectMetadata{}
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, partial))
			partials = append(partials, partial)
			continue
		}
		objects = append(objects, object)
	}
	scheme := fakemetadata.NewTestScheme()
	require.NoError(t, metav1.AddMetaToScheme(scheme))
	w.objects = fakedynamic.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, objects...)
	w.metadata = fakemetadata.NewSimpleMetadataClient(scheme, partials...)
	w.cluster = &cluster{discovery: w.discovery, objects: w.objects, watched: w.objects, metadata: w.metadata, namespace: "team",
		get: func(context.Context, string) ([]byte, error) { return nil, errors.New("the right is missing") }}
	w.tool = newTool(genericiooptions.IOStreams{In: strings.NewReader(""), Out: w.out, ErrOut: w.errOut})
	w.connect = func() (*cluster, error) { return w.cluster, nil }
	return w
}

// run runs the command with arguments and returns the exit code and both outputs.
func (w *world) run(args ...string) (code int, out, problems string) {
	w.t.Helper()
	w.out.Reset()
	w.errOut.Reset()
	code = w.execute(w.t.Context(), args)
	return code, w.out.String(), w.errOut.String()
}

// refuse returns an error for a verb on a resource.
func (w *world) refuse(verb, resource string, err error) {
	fail := func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err }
	w.objects.PrependReactor(verb, resource, fail)
	w.metadata.PrependReactor(verb, resource, fail)
}
