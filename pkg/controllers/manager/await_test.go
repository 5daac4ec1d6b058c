// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// late serves a version from the nth query on.
type late map[string]int

func (l late) ServerResourcesForGroupVersion(version string) (*metav1.APIResourceList, error) {
	if l[version]--; l[version] > 0 {
		return nil, errors.New("the server is currently unable to handle the request")
	}
	return &metav1.APIResourceList{}, nil
}

func TestTheGroupsAreAwaited(t *testing.T) {
	o := &Options{Groups: []string{"takaro", "release"}}
	cluster := late{"takaro.roadstead.dev/v1alpha1": 3, "release.roadstead.dev/v1alpha1": 1}
	require.NoError(t, o.awaitGroupsFor(t.Context(), cluster, time.Minute, time.Millisecond))
	assert.Equal(t, late{"takaro.roadstead.dev/v1alpha1": 0, "release.roadstead.dev/v1alpha1": 0}, cluster)

	err := o.awaitGroupsFor(t.Context(), late{"takaro.roadstead.dev/v1alpha1": 1_000_000}, 20*time.Millisecond, time.Millisecond)
	require.ErrorContains(t, err, "the cluster does not serve takaro.roadstead.dev/v1alpha1: look at apiservice v1alpha1.takaro.roadstead.dev")
	require.ErrorContains(t, err, "currently unable to handle the request")
}
