// SPDX-License-Identifier: Apache-2.0

package options

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// clusterScoped are the groups whose kinds have no namespaces.
var clusterScoped = map[string]bool{release.GroupName: true}

// goldenNow returns what this server stores: for each kind an object with every field set, and some
// realistic ones.
func goldenNow(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	options := roundtrip.NewCompatibilityTestOptions(apiserver.Scheme)
	options.Kinds = storedKinds()
	options.TestDataDirsPreviousVersions = []string{}
	options.Complete(t)
	for _, gvk := range options.Kinds {
		full := options.FilledObjects[gvk]
		named, err := meta.Accessor(full)
		require.NoError(t, err)
		named.SetNamespace("golden")
		if clusterScoped[gvk.Group] {
			named.SetNamespace("")
		}
		named.SetName("full")
		addGolden(t, files, toYAML(t, full))
	}
	sources, err := filepath.Glob(filepath.Join(goldenFolder, "objects", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		addGolden(t, files, text)
	}
	for _, claim := range goldenClaims() {
		value, err := json.Marshal(claim)
		require.NoError(t, err)
		files[unique.Records{Kind: schema.ParseGroupResource(claim.Resource)}.Path("", claim.Key)+".json"] = value
	}
	return files
}

// goldenClaims are the claims of two of the realistic objects.
func goldenClaims() []unique.Claim {
	owned := func(resource, name, uid string) unique.Owner {
		return unique.Owner{Resource: resource + ".takaro.roadstead.dev", Namespace: "demo", Name: name, UID: types.UID(uid)}
	}
	return []unique.Claim{
		{Key: "https://api.takaro.example\x00arena-of-team-blue", Owner: owned("domains", "arena", "6f0c3a52-3f0e-4c1e-9d4b-6a4f0f6b7a01")},
		{Key: "demo\x00arena\x00ann@example.com", Owner: owned("users", "ann", "6f0c3a52-3f0e-4c1e-9d4b-6a4f0f6b7a04")},
	}
}

// storedKinds returns the served kinds with lists: kinds without a list are not stored.
func storedKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for version := range apiserver.DefaultResources().GroupVersionConfigs {
		known := apiserver.Scheme.KnownTypes(version)
		for kind := range known {
			object, err := apiserver.Scheme.New(version.WithKind(kind))
			if _, hasList := known[kind+"List"]; err != nil || !hasList {
				continue
			}
			if _, isObject := object.(metav1.Object); isObject {
				kinds = append(kinds, version.WithKind(kind))
			}
		}
	}
	return kinds
}

// addGolden stores an object as the server does: decoded, defaulted, converted, without the
// metadata of etcd.
func addGolden(t *testing.T, files map[string][]byte, text []byte) {
	t.Helper()
	_, gvk, err := apiserver.StorageCodecs.UniversalDeserializer().Decode(text, nil, nil)
	require.NoError(t, err, "%s", text)
	resource, _ := meta.UnsafeGuessKindToResource(*gvk)
	codec := storageCodec(t, resource.Group, resource.Resource)
	object, _, err := codec.Decode(text, nil, nil)
	require.NoError(t, err, "%s", text)
	named, err := meta.Accessor(object)
	require.NoError(t, err)
	named.SetResourceVersion("")
	named.SetSelfLink("")
	value, err := runtime.Encode(codec, object)
	require.NoError(t, err)
	file := path.Join(resource.Group, resource.Resource, named.GetNamespace(), named.GetName())
	require.NotContains(t, files, file+".pb")
	files[file+".pb"], files[file+".yaml"] = value, toYAML(t, object)
}

// storageCodec returns the codec with which the server stores a resource.
func storageCodec(t *testing.T, group, resource string) runtime.Codec {
	t.Helper()
	options := New()
	factory := newStorageFactory(options.Etcd.StorageConfig, options.Etcd.DefaultStorageMediaType, apiserver.DefaultResources())
	stored := schema.GroupResource{Group: group, Resource: resource}
	config, err := factory.NewConfig(stored, nil)
	require.NoError(t, err)
	require.Equal(t, group+"/"+resource, factory.ResourcePrefix(stored), "files are named by their keys")
	return config.Codec
}

// toYAML returns an object in its published version, with all fields.
func toYAML(t *testing.T, object runtime.Object) []byte {
	t.Helper()
	info, ok := runtime.SerializerInfoForMediaType(apiserver.StorageCodecs.SupportedMediaTypes(), runtime.ContentTypeYAML)
	require.True(t, ok)
	text, err := runtime.Encode(apiserver.StorageCodecs.EncoderForVersion(info.Serializer,
		schema.GroupVersions(apiserver.Scheme.PrioritizedVersionsAllGroups())), object)
	require.NoError(t, err)
	return text
}
