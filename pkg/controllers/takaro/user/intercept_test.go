// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// intercept stands between a controller and the API server.
type intercept func(call func() error) error

func (i intercept) functions() interceptor.Funcs {
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
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, object client.Object, options ...client.SubResourceUpdateOption) error {
			return i(func() error { return c.SubResource(sub).Update(ctx, object, options...) })
		},
	}
}
