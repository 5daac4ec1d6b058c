// SPDX-License-Identifier: Apache-2.0

// Package common is shared by the storage of the kinds of the group release.roadstead.dev.
package common

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Caller returns the authenticated name of the caller; empty if the context has none.
func Caller(ctx context.Context) string {
	if user, ok := genericapirequest.UserFrom(ctx); ok {
		return user.GetName()
	}
	return ""
}

// JSON returns raw content in the form in which it is stored: as JSON, whatever the encoding of the
// request, and unchanged if the stored content is the same. Otherwise an update that changes only
// the order of keys would be a change of the spec.
func JSON(content, stored runtime.RawExtension, same func(a, b runtime.RawExtension) bool) runtime.RawExtension {
	if len(content.Raw) == 0 {
		return content
	}
	// Content that cannot be encoded as JSON is refused by validation.
	if encoded, err := content.MarshalJSON(); err == nil {
		content = runtime.RawExtension{Raw: encoded}
	}
	if len(stored.Raw) > 0 && same(content, stored) {
		return stored
	}
	return content
}
