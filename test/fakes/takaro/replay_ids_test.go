// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
)

// orderedIDs returns a function that generates ids which differ from the recorded ones but sort in
// the same order. A search returns rows in the order of ids, so other ids would put other objects
// on a page.
func orderedIDs(all []exchange) func(kind, hint string) string {
	seen := map[string]bool{}
	queues := map[string][]string{}
	roles := map[string]string{} // domain id + name → role id
	push := func(kind string, object any) {
		if id := object.(map[string]any)["id"].(string); !seen[id] {
			seen[id] = true
			queues[kind] = append(queues[kind], id)
		}
	}
	remember := func(domainID string, role any) {
		r := role.(map[string]any)
		roles[domainID+"/"+r["name"].(string)] = r["id"].(string)
	}
	for _, e := range all {
		if e.Request == nil || e.Response.Status != 200 {
			continue
		}
		data := e.Response.Body.(map[string]any)["data"]
		switch e.Request.Method + " " + e.Request.Path {
		case "POST /domain":
			made := data.(map[string]any)
			push(kindDomain, made["createdDomain"])
			push(kindUser, made["rootUser"])
			domainID := made["createdDomain"].(map[string]any)["id"].(string)
			remember(domainID, made["rootRole"])
			remember(domainID, made["rootUser"].(map[string]any)["roles"].([]any)[0].(map[string]any)["role"])
		case "POST /user":
			push(kindUser, data)
		case "POST /gameserver":
			push(kindGameServer, data)
		case "POST /role/search":
			for _, role := range data.([]any) {
				remember(domainOfToken(e.Request.Headers["x-takaro-token"]), role)
			}
		}
	}
	current := ""
	return func(kind, hint string) string {
		recorded := roles[current+"/"+hint]
		if kind != kindRole {
			if len(queues[kind]) == 0 {
				return randomID(kind, hint)
			}
			recorded, queues[kind] = queues[kind][0], queues[kind][1:]
		}
		switch {
		case kind == kindDomain:
			current = recorded
			adjective, _, _ := strings.Cut(recorded, "-")
			_, rest, _ := strings.Cut(randomID(kind, hint), "-")
			return adjective + "-" + rest
		case recorded == "":
			return randomID(kind, hint)
		}
		return recorded[:24] + uuid.NewString()[24:]
	}
}

func domainOfToken(token string) string {
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		panic(err)
	}
	claims := struct {
		DomainID string `json:"domainId"`
	}{}
	if err := json.Unmarshal(raw, &claims); err != nil {
		panic(err)
	}
	return claims.DomainID
}
