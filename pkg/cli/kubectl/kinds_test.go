// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestKindsAreTakenInThePreferredVersion(t *testing.T) {
	version := func(v string) metav1.GroupVersionForDiscovery {
		return metav1.GroupVersionForDiscovery{GroupVersion: "g/" + v, Version: v}
	}
	groups := []*metav1.APIGroup{{Name: "g", Versions: []metav1.GroupVersionForDiscovery{version("v2"), version("v1")},
		PreferredVersion: version("v1")}}
	lists := []*metav1.APIResourceList{
		{GroupVersion: "g/v1", APIResources: []metav1.APIResource{{Name: "olds", Kind: "Old"}, {Name: "olds/status", Kind: "Old"}}},
		{GroupVersion: "g/v2", APIResources: []metav1.APIResource{{Name: "news", Kind: "New"}, {Name: "olds", Kind: "Old"}}},
	}
	found := kindsOf(groups, lists)
	require.Len(t, found, 2)
	assert.Equal(t, []string{"g/v2", "g/v1"}, []string{found[0].version.String(), found[1].version.String()})
	assert.True(t, found[1].hasStatus())
	assert.Empty(t, kindsIn(&metav1.APIResourceList{GroupVersion: "a/b/c"}))
}

func TestChoose(t *testing.T) {
	kinds := append(kindsIn(served[1]), kindsIn(&metav1.APIResourceList{GroupVersion: "other.example.com/v1",
		APIResources: []metav1.APIResource{{Name: "realms", SingularName: "realm", Kind: "Realm"}}})...)
	for name, want := range map[string]string{
		"gadget": "gadgets.toys.roadstead.dev", "Gadgets": "gadgets.toys.roadstead.dev", "RLM": "realms.toys.roadstead.dev",
		"realm.other.example.com": "realms.other.example.com", "realms.v1.toys.roadstead.dev": "realms.toys.roadstead.dev",
	} {
		found, err := choose(name, kinds)
		require.NoError(t, err, name)
		assert.Equal(t, want, found.fullName())
	}
	_, err := choose("realm", kinds)
	assert.EqualError(t, err, `"realm" is ambiguous: realms.toys.roadstead.dev, realms.other.example.com; use the full name`)
}

func TestTargets(t *testing.T) {
	kinds := kindsIn(served[1])
	for _, test := range []struct {
		args []string
		want []string
		err  string
	}{
		{args: nil},
		{args: []string{"realm"}, want: []string{"Realm/"}},
		{args: []string{"realm", "a", "b"}, want: []string{"Realm/a", "Realm/b"}},
		{args: []string{"realm/a", "gadget/b"}, want: []string{"Realm/a", "Gadget/b"}},
		{args: []string{"realm/a", "b"}, err: `"b" is not of the form KIND/NAME`},
		{args: []string{"realm", "gadget/b"}, err: `"gadget/b": use either KIND NAME... or KIND/NAME..., not both`},
		{args: []string{"realm/"}, err: `"realm/" is not of the form KIND/NAME`},
		{args: []string{"/a"}, err: `"/a" is not of the form KIND/NAME`},
		{args: []string{"realm/a/b"}, err: `"realm/a/b" is not of the form KIND/NAME`},
	} {
		found, err := targets(test.args, kinds)
		if test.err != "" {
			assert.EqualError(t, err, test.err)
			continue
		}
		require.NoError(t, err)
		var got []string
		for _, one := range found {
			got = append(got, one.kind.Kind+"/"+one.name)
		}
		assert.Equal(t, test.want, got)
	}
}
