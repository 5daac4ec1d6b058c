// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
)

// plain returns options without a decorator.
type plain struct{}

func (plain) GetRESTOptions(schema.GroupResource, runtime.Object) (genericregistry.RESTOptions, error) {
	return genericregistry.RESTOptions{}, nil
}

// cacheless returns the same options, and implements Cacheless.
type cacheless struct{ plain }

func (c cacheless) WithoutCache() genericregistry.RESTOptionsGetter { return c }

func TestWithoutCache_StorageWithoutCache(t *testing.T) {
	for name, test := range map[string]struct {
		getter    genericregistry.RESTOptionsGetter
		decorated bool
	}{
		"with a cache": {plain{}, true},
		"cacheless":    {cacheless{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			options, err := withoutCache(test.getter).GetRESTOptions(schema.GroupResource{}, nil)
			require.NoError(t, err)
			assert.Equal(t, test.decorated, options.Decorator != nil)
		})
	}
}
