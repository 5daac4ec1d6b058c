// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

func uidOf(kind, name string) types.UID { return types.UID(strings.ToLower(kind) + "-" + name) }

// sample returns a manifest with the condition Ready "STATUS REASON MESSAGE", and additional lines
// below spec.
func sample(kind, name, ready string, spec ...string) string {
	text := fmt.Sprintf("apiVersion: toys.roadstead.dev/v1\nkind: %s\nmetadata: {name: %s, generation: 1}\n", kind, name)
	if len(spec) > 0 {
		text += "spec:\n  " + strings.Join(spec, "\n  ") + "\n"
	}
	if ready != "" {
		parts := strings.SplitN(ready, " ", 3)
		phase := map[string]string{"True": "Ready", "False": "Error", "Unknown": "Pending"}[parts[0]]
		text += fmt.Sprintf("status:\n  observedGeneration: 1\n  phase: %s\n  conditions:\n  - {type: Ready, status: %q, reason: %s, "+
			"message: %q, observedGeneration: 1, lastTransitionTime: %q}\n",
			phase, parts[0], parts[1], parts[2], "2026-03-01T11:55:00Z")
	}
	return text
}

// team is an environment with all that can be wrong with one: two wait for a Realm that is broken, one for a Realm that is
// not there, one is broken itself, one says nothing.
var team = strings.Join([]string{
	sample("Realm", "broken", "False TokenRefused while looking:\n  the token is wrong"),
	sample("Realm", "fine", "True AsSpecified all is well"),
	sample("Gadget", "first", `False RealmNotReady Realm "broken" waits itself`, "realmRef: {name: broken}"),
	sample("Gadget", "second", `False TokenRefused the token is wrong`, "realmRef: {name: broken}"),
	sample("Gadget", "third", `False RealmNotFound Realm "gone" is not in this namespace`, "realmRef: {name: gone}"),
	sample("Gadget", "own", `False LimitReached raise spec.limit`, "realmRef: {name: fine}"),
	sample("Gadget", "silent", "", "realmRef: {name: fine}"),
	sample("Gadget", "ready", "True AsSpecified all is well", "realmRef: {name: fine}"),
	sample("Label", "plain", "", "text: hello"),
}, "---\n")
