// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"
	"slices"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"roadstead.dev/roadstead/pkg/apiserver/filters/inventory"
	"roadstead.dev/roadstead/pkg/apiserver/filters/listbuffer"
	"roadstead.dev/roadstead/pkg/apiserver/trust/authorization"
)

// filter is one HTTP filter before the handlers of the API.
type filter struct {
	name string
	wrap func(http.Handler) http.Handler
}

// filters returns every HTTP filter of the server, outermost first.
func (e ExtraConfig) filters(config *genericapiserver.Config) []filter {
	return []filter{
		// Outermost, because it replaces an answer of the authorization among the generic filters.
		{"authorization unavailable", func(next http.Handler) http.Handler { return authorization.ReportUnavailable(next, Codecs) }},
		// Before authentication, which treats callers as anonymous while the CA of the aggregation
		// layer is unknown.
		{"front proxy", func(next http.Handler) http.Handler { return e.FrontProxy.Handler(next, Codecs) }},
		// Authentication, audit, priority and fairness, and authorization. All following filters
		// know the caller, and only authorized callers receive their responses.
		{"generic", func(next http.Handler) http.Handler { return genericapiserver.DefaultBuildHandlerChain(next, config) }},
		// Before the gate, because it describes a store that the gate refuses.
		{"inventory", func(next http.Handler) http.Handler { return inventory.Filter(e.Inventory, next, Codecs) }},
		// Before the body limits, so that a request that is refused holds no memory.
		{"gate", func(next http.Handler) http.Handler { return e.Gate.Handler(next, Codecs) }},
		// Before anything that reads the body.
		{"body limit", func(next http.Handler) http.Handler {
			return bodyLimits().Handler(next, config.LongRunningFunc, Codecs)
		}},
		// Innermost, because it buffers only what the handlers encode.
		{"list buffer", listbuffer.Handler},
	}
}

// handlerChain wraps the handlers of the API in all filters.
func (e ExtraConfig) handlerChain(handler http.Handler, config *genericapiserver.Config) http.Handler {
	for _, filter := range slices.Backward(e.filters(config)) {
		handler = filter.wrap(handler)
	}
	return handler
}
