// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

func TestPreferredResources_StaleGroups(t *testing.T) {
	ours := schema.GroupVersion{Group: "release.roadstead.dev", Version: "v1alpha1"}
	theirs := schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1"}
	failed := func(groups map[schema.GroupVersion]error) error {
		return fmt.Errorf("wrapped: %w", &discovery.ErrGroupDiscoveryFailed{Groups: groups})
	}
	stale := discovery.StaleGroupVersionError{}
	assert.True(t, oursAreStale(failed(map[schema.GroupVersion]error{ours: stale})))
	for name, err := range map[string]error{
		"nothing": nil, "another error": errors.New("refused"), "none": failed(nil),
		"theirs":               failed(map[schema.GroupVersion]error{ours: stale, theirs: stale}),
		"ours, but not served": failed(map[schema.GroupVersion]error{ours: errors.New("404")}),
	} {
		assert.False(t, oursAreStale(err), name)
	}
}
