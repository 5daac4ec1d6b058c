// SPDX-License-Identifier: Apache-2.0

package controllertest

import (
	"context"
	"errors"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// Intercept intercepts the calls of a controller to the API server: it receives each call and
// returns the result for the controller.
type Intercept func(call func() error) error

// Client returns a client whose calls are intercepted.
func (i Intercept) Client(inner client.WithWatch) client.WithWatch {
	return interceptor.NewClient(inner, i.functions())
}

func (i Intercept) functions() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			return i(func() error { return c.Get(ctx, key, object, options...) })
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			return i(func() error { return c.List(ctx, list, options...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.CreateOption) error {
			return i(func() error { return c.Create(ctx, object, options...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			return i(func() error { return c.Update(ctx, object, options...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			return i(func() error { return c.Patch(ctx, object, patch, options...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			return i(func() error { return c.Delete(ctx, object, options...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, object client.Object,
			options ...client.SubResourceUpdateOption) error {
			return i(func() error { return c.SubResource(sub).Update(ctx, object, options...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, object client.Object, patch client.Patch,
			options ...client.SubResourcePatchOption) error {
			return i(func() error { return c.SubResource(sub).Patch(ctx, object, patch, options...) })
		},
	}
}

// ReadOnly returns a client that fails the test at the first write.
func ReadOnly(t *testing.T, inner client.WithWatch) client.WithWatch {
	funcs := Intercept(func(func() error) error {
		t.Error("nothing may be written")
		return errors.New("nothing may be written")
	}).functions()
	funcs.Get, funcs.List = nil, nil
	return interceptor.NewClient(inner, funcs)
}
