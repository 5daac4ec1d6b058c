// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const jsonType = "application/json; charset=utf-8"

func healthz(*Server, *request) reply { return text(http.StatusOK, jsonType, `{"healthy":true}`) }

// readyz answers as the real API does once it has a Redis client: 200, but not healthy.
func readyz(*Server, *request) reply { return text(http.StatusOK, jsonType, `{"healthy":false}`) }

func apiPage(*Server, *request) reply {
	return text(http.StatusOK, "text/html; charset=utf-8",
		"<!DOCTYPE html>\n<title>Takaro API</title>\n<p>See <a href=\"/openapi.json\">openapi.json</a>.</p>\n")
}

// openAPI lists the operations of the stand-in, without schemas.
func openAPI(*Server, *request) reply {
	paths := map[string]map[string]any{}
	for _, r := range routes() {
		if paths[r.path] == nil {
			paths[r.path] = map[string]any{}
		}
		paths[r.path][strings.ToLower(r.method)] = map[string]any{"responses": map[string]any{"200": map[string]string{"description": ""}}}
	}
	body, err := json.Marshal(map[string]any{"openapi": "3.0.0", "info": map[string]string{"title": "Takaro stand-in",
		"version": "0.4.11"}, "paths": paths})
	if err != nil { // cannot happen: maps of strings
		panic(err)
	}
	return text(http.StatusOK, jsonType, string(body))
}

func metrics(s *Server, _ *request) reply {
	return text(http.StatusOK, "text/plain; version=0.0.4; charset=utf-8",
		fmt.Sprintf("# HELP http_requests_total Requests received.\n# TYPE http_requests_total counter\nhttp_requests_total %d\n", s.log.total))
}
