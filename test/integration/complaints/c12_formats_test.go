// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/test/framework"
)

const protobufMark = "k8s\x00"

// formats maps Accept headers to the expected response: a kind, protobuf, or empty for the kind of
// the resource.
var formats = map[string]string{
	"application/json": "",
	"application/yaml": "",
	"application/cbor;q=0.9,application/json;q=0.8":                                                                   "",
	"application/vnd.kubernetes.protobuf":                                                                             protobufMark,
	"application/vnd.kubernetes.protobuf,application/json":                                                            protobufMark,
	"application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json": "Table",
	"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1;g=meta.k8s.io":    "Table",
}

// TestC12EveryFormatOfEveryResource verifies that clients can request protobuf and Tables for every
// kind and subresource (kubernetes/kubernetes#67047).
func TestC12EveryFormatOfEveryResource(t *testing.T) {
	u := keeper(t)
	served, err := discovery.NewDiscoveryClientForConfigOrDie(env.Cluster.AdminConfig()).ServerResourcesForGroupVersion(group + "/" + version)
	require.NoError(t, err)
	eachKind(t, func(t *testing.T, k kind) {
		k.create(t, u, "formats")
		list(t, u, k)
		for _, resource := range served.APIResources {
			name, sub, _ := strings.Cut(resource.Name, "/")
			if name == k.resource {
				one(t, u, resource, strings.TrimSuffix(k.path(u.Namespace)+"/formats/"+sub, "/"))
			}
		}
	})
}

func list(t *testing.T, u *framework.User, k kind) {
	t.Helper()
	for accept, want := range formats {
		if want == "" {
			want = k.name + "List"
		}
		isAnswered(t, u, framework.Request{Path: k.path(u.Namespace), Accept: accept}, want)
	}
	isAnswered(t, u, framework.Request{Path: k.path(u.Namespace), Accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"},
		"PartialObjectMetadataList")
	isAnswered(t, u, framework.Request{Path: k.path(u.Namespace),
		Accept: "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}, protobufMark)
}

// one requests an object or one of its subresources.
func one(t *testing.T, u *framework.User, resource metav1.APIResource, path string) {
	t.Helper()
	request := framework.Request{Path: path}
	switch {
	case slices.Contains(resource.Verbs, "get"):
		isAnswered(t, u, framework.Request{Path: path, Accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
			"PartialObjectMetadata")
		isAnswered(t, u, framework.Request{Path: path,
			Accept: "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}, protobufMark)
	case slices.Contains(resource.Verbs, "create"):
		request.Method, request.Body = http.MethodPost, `{"apiVersion":"`+group+"/"+version+`","kind":"`+resource.Kind+`"}`
	default:
		require.FailNow(t, "neither get nor create", "%s: %v", resource.Name, resource.Verbs)
	}
	for accept, want := range formats {
		if want == "Table" && request.Method == http.MethodPost {
			// A resource that only returns a response, such as the token of a ServiceAccount, has
			// no columns. Clients add an alternative to the Accept header.
			accept, want = accept+",application/json", ""
		}
		if want == "" {
			want = resource.Kind
		}
		request.Accept = accept
		isAnswered(t, u, request, want)
	}
}

func isAnswered(t *testing.T, u *framework.User, request framework.Request, want string) {
	t.Helper()
	answer := framework.Do(t, u.Config, request)
	what := request.Path + " as " + request.Accept
	code := http.StatusOK
	if request.Method == http.MethodPost {
		code = http.StatusCreated
	}
	if !assert.Equal(t, code, answer.Code, "%s: %s", what, answer.Body) {
		return
	}
	if want == protobufMark {
		require.True(t, strings.HasPrefix(string(answer.Body), protobufMark), what)
		return
	}
	var meta metav1.TypeMeta
	require.NoError(t, yaml.Unmarshal(answer.Body, &meta), what)
	require.Equal(t, want, meta.Kind, what)
}
