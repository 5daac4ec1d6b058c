// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// TestFilters_Order pins the order of the filters. Each filter relies on those before it: see the reasons in the list.
func TestFilters_Order(t *testing.T) {
	var names []string
	for _, filter := range (ExtraConfig{}).filters(&genericapiserver.Config{}) {
		names = append(names, filter.name)
	}
	require.Equal(t, []string{
		"authorization unavailable", "front proxy", "generic", "inventory", "gate", "body limit", "list buffer",
	}, names)
}
