// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"net/http"

	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// AllowInspection lets reads (get and list) pass that a cause refuses, if their header storeidentity.InspectHeader has the
// given value. No ordinary client sends that header, so none takes what it reads for the truth. "" allows nothing. It
// ends when the cause opens.
func (g *Gate) AllowInspection(cause, value string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inspection[cause] = value
}

// inspectionOf returns the header's value of a read, "" of anything else.
func inspectionOf(r *http.Request, info *genericapirequest.RequestInfo) string {
	if info.Verb != "get" && info.Verb != "list" {
		return ""
	}
	return r.Header.Get(storeidentity.InspectHeader)
}

type inspecting struct{}

func withInspection(ctx context.Context) context.Context {
	return context.WithValue(ctx, inspecting{}, true)
}

// Inspecting tells whether a request only looks at the store, whatever that is.
func Inspecting(ctx context.Context) bool {
	return ctx.Value(inspecting{}) != nil
}
