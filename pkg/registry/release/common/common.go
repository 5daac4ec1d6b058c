// SPDX-License-Identifier: Apache-2.0

// Package common has what the storage of several kinds of the group release.roadstead.dev does.
package common

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Caller returns the authenticated name of who makes the request, "" where nobody does.
func Caller(ctx context.Context) string {
	if user, ok := genericapirequest.UserFrom(ctx); ok {
		return user.GetName()
	}
	return ""
}

// JSON returns free content as it is to be stored: as JSON, whatever encoding the client spoke, and as it was stored before
// where it is the same. Else an update that changes nothing but the order of keys would be a change of the spec.
func JSON(content, stored runtime.RawExtension, same func(a, b runtime.RawExtension) bool) runtime.RawExtension {
	if len(content.Raw) == 0 {
		return content
	}
	// What cannot be put into JSON is left to validation.
	if encoded, err := content.MarshalJSON(); err == nil {
		content = runtime.RawExtension{Raw: encoded}
	}
	if len(stored.Raw) > 0 && same(content, stored) {
		return stored
	}
	return content
}
