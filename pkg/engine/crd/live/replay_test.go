// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const (
	withoutBound = "spec: {type: object, properties: {f: {type: string}}}"
	withBound    = "spec: {type: object, properties: {f: {type: string, maxLength: 3}}}"
)

func TestReplay_SampleObjects(t *testing.T) {
	var items []unstructured.Unstructured
	for i := range 9 {
		items = append(items, widget(t, fmt.Sprintf("w%d", i), "spec: {f: long}"))
	}
	items[0].Object["spec"] = map[string]any{"f": "ok"}
	lister := &pages{items: []Page{{Items: items[:4], Remaining: 5}, {Items: items[4:]}}}
	result, err := Replay(t.Context(), definitionOf(t, withoutBound), definitionOf(t, withBound), lister, Options{})
	require.NoError(t, err)
	assert.True(t, result.Complete)
	assert.Equal(t, 9, result.Checked)
	require.Len(t, result.Findings, 1)
	assert.Equal(t, 8, result.Findings[0].LiveCount)
	assert.Equal(t, []string{"team/w1", "team/w2", "team/w3", "team/w4", "team/w5"}, result.Findings[0].SampleObjects)
	assert.Contains(t, result.Findings[0].Message, "8 of 9 checked objects")
	assert.Equal(t, []schema.GroupVersionResource{{Group: "example.com", Version: "v1", Resource: "widgets"}}, lister.asked)
}

func TestReplay_Incomplete(t *testing.T) {
	old, new := definitionOf(t, withoutBound), definitionOf(t, withBound)
	one := widget(t, "one", "spec: {f: long}")
	broken := widget(t, "broken", "spec: {f: x}")
	broken.Object["metadata"] = "none"
	served := func(crd *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.CustomResourceDefinition {
		crd = crd.DeepCopy()
		crd.Spec.Versions[0].Name = name
		return crd
	}
	cases := map[string]struct {
		new     *apiextensionsv1.CustomResourceDefinition
		lister  *pages
		options Options
		says    string
		checked int
	}{
		"the budget ends": {lister: &pages{items: []Page{{Items: []unstructured.Unstructured{one}, Remaining: 41}},
			then: func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			}}, options: Options{Budget: 300 * time.Millisecond}, says: "the time limit of 300ms was reached after 1 objects; 42 exist", checked: 1},
		"the budget ends, unknown number of objects": {lister: &pages{items: []Page{{Items: []unstructured.Unstructured{one},
			Remaining: -1}}, then: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}, options: Options{Budget: 300 * time.Millisecond}, says: "after 1 objects; the total number is unknown", checked: 1},
		"enough": {lister: &pages{items: []Page{{Items: []unstructured.Unstructured{one, one, one}, Remaining: 4}}},
			options: Options{MaxObjects: 2},
			says:    "the limit of 2 objects was reached; 7 exist", checked: 2},
		"missing permission": {lister: &pages{then: func(context.Context) error {
			return apierrors.NewForbidden(schema.GroupResource{Group: "example.com", Resource: "widgets"}, "", errors.New("nobody may"))
		}}, says: "permission to list widgets.example.com is missing"},
		"a failure": {lister: &pages{items: []Page{{Items: []unstructured.Unstructured{one}, Remaining: 1}},
			then: func(context.Context) error { return errors.New("connection refused") }},
			says: "listing widgets.example.com failed after 1 objects: connection refused", checked: 1},
		"no common version": {new: served(new, "v2"), lister: &pages{}, says: "the old CRD serves v1, the new CRD serves v2"},
		"an invalid object": {lister: objects(one, broken), says: "1 objects could not be checked, the first one is", checked: 1},
		"an invalid schema": {new: func() *apiextensionsv1.CustomResourceDefinition {
			crd := new.DeepCopy()
			crd.Spec.Versions[0].Schema = nil
			return crd
		}(), lister: &pages{}, says: "version v1 has no schema"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.new == nil {
				c.new = new
			}
			result, err := Replay(t.Context(), old, c.new, c.lister, c.options)
			require.NoError(t, err)
			assert.False(t, result.Complete)
			assert.Equal(t, c.checked, result.Checked)
			last := result.Findings[len(result.Findings)-1]
			assert.Equal(t, "CRD-L06", last.Code)
			assert.Equal(t, rules.Review, last.Verdict)
			assert.Contains(t, last.Message, c.says)
			assert.Len(t, result.Findings, 1+min(1, c.checked), "findings about checked objects are reported")
		})
	}
}

func TestReplay_Canceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	lister := &pages{items: []Page{{Items: []unstructured.Unstructured{widget(t, "one", "spec: {f: long}")}, Remaining: 3}},
		then: func(ctx context.Context) error {
			cancel()
			return ctx.Err()
		}}
	result, err := Replay(ctx, definitionOf(t, withoutBound), definitionOf(t, withBound), lister, Options{})
	require.ErrorIs(t, err, context.Canceled)
	assert.Len(t, result.Findings, 2)

	_, err = Replay(t.Context(), nil, definitionOf(t, withBound), lister, Options{})
	require.Error(t, err)
}

func TestCommonVersion(t *testing.T) {
	versions := func(names ...string) *apiextensionsv1.CustomResourceDefinition {
		crd := definitionOf(t, withoutBound)
		crd.Spec.Versions = nil
		for _, name := range names {
			version := apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: true}
			switch name[0] {
			case '!':
				version.Name, version.Served = name[1:], false
			case '*':
				version.Name, version.Storage = name[1:], true
			}
			crd.Spec.Versions = append(crd.Spec.Versions, version)
		}
		return crd
	}
	for want, pair := range map[string][2]*apiextensionsv1.CustomResourceDefinition{
		"v1":      {versions("*v1", "v2"), versions("v1", "*v2")},
		"v2":      {versions("*v1", "v2", "v3"), versions("!v1", "*v2", "v3")},
		"v3":      {versions("*v1", "v2", "v3beta1", "v3"), versions("v2", "v3beta1", "v3", "*v4")},
		"v1beta1": {versions("*v1", "v1beta1"), versions("v1beta1", "*v2")},
	} {
		got, _ := commonVersion(pair[0], pair[1])
		assert.Equal(t, want, got)
	}
}

func gone(t *testing.T, w http.ResponseWriter, status metav1.Status) {
	status.APIVersion, status.Kind = "v1", "Status"
	w.WriteHeader(http.StatusGone)
	assert.NoError(t, json.NewEncoder(w).Encode(status))
}

// server serves widgets in pages of two. It has compacted the snapshot of the second page.
func server(t *testing.T, total int) (rest.Config, *int) {
	expired := 0
	handler := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		assert.Equal(t, "/apis/example.com/v1/widgets", request.URL.Path)
		assert.Equal(t, "2", request.URL.Query().Get("limit"))
		w.Header().Set("Content-Type", "application/json")
		start := 0
		switch token := request.URL.Query().Get("continue"); token {
		case "":
		case "consistent-2":
			expired++
			status := apierrors.NewResourceExpired("the snapshot was compacted").Status()
			status.ListMeta.Continue = "inconsistent-2"
			gone(t, w, status)
			return
		default:
			_, err := fmt.Sscanf(token, "inconsistent-%d", &start)
			assert.NoError(t, err)
		}
		end := min(start+2, total)
		metadata := map[string]any{"resourceVersion": "9"}
		if end < total {
			metadata["remainingItemCount"] = total - end
			metadata["continue"] = fmt.Sprintf("inconsistent-%d", end)
			if start == 0 {
				metadata["continue"] = fmt.Sprintf("consistent-%d", end)
			}
		}
		items := []any{}
		for i := start; i < end; i++ {
			items = append(items, widget(t, fmt.Sprintf("w%d", i), "spec: {f: long}").Object)
		}
		assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{"apiVersion": "example.com/v1", "kind": "WidgetList",
			"metadata": metadata, "items": items}))
	})
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return rest.Config{Host: srv.URL, QPS: -1}, &expired
}

func TestLister_ContinuesAfterCompaction(t *testing.T) {
	config, expired := server(t, 7)
	client, err := dynamic.NewForConfig(&config)
	require.NoError(t, err)
	result, err := Replay(t.Context(), definitionOf(t, withoutBound), definitionOf(t, withBound), NewLister(client), Options{PageSize: 2})
	require.NoError(t, err)
	assert.True(t, result.Complete)
	assert.Equal(t, 7, result.Checked)
	assert.Equal(t, 1, *expired, "the list is not restarted after a compaction")
	require.Len(t, result.Findings, 1)
	assert.Equal(t, 7, result.Findings[0].LiveCount)

	result, err = Replay(t.Context(), definitionOf(t, withoutBound), definitionOf(t, withBound), NewLister(client),
		Options{PageSize: 2, MaxObjects: 3})
	require.NoError(t, err)
	assert.False(t, result.Complete)
	assert.Contains(t, result.Findings[1].Message, "the limit of 3 objects was reached; 7 exist")
}

func TestLister_ServerError(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status := apierrors.NewResourceExpired("the list cannot continue").Status()
		w.Header().Set("Content-Type", "application/json")
		gone(t, w, status)
	}))
	t.Cleanup(srv.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: srv.URL, QPS: -1})
	require.NoError(t, err)
	err = NewLister(client).List(t.Context(), schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, 2,
		func(Page) bool { return true })
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
}
