// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// HoldNamespaceEndNotSeen holds objects of absent namespaces whose deletion this process did not
// observe. It has no minimum: a single namespace is held.
const HoldNamespaceEndNotSeen v1alpha1.HoldType = "NamespaceEndNotSeen"

// HoldAnnotation is set on the record of the store's identity while objects are held or released.
// Its value is a v1alpha1.Hold as JSON.
const HoldAnnotation = "roadstead.dev/hold-namespace-end-not-seen"

// shown is the maximum number of names in a hold.
const shown = 20

// ReleaseCommand returns the command that releases the hold with the token.
func ReleaseCommand(namespace, token string) string {
	return fmt.Sprintf("kubectl annotate configmap %s -n %s --overwrite %s=%s",
		storeidentity.ConfigMapName, namespace, hold.ReleaseAnnotation, token)
}

// holdOf reads the hold of the record. An invalid hold is treated as missing: everything is held
// again.
func holdOf(record *corev1.ConfigMap) v1alpha1.Hold {
	stored := v1alpha1.Hold{}
	if json.Unmarshal([]byte(record.Annotations[HoldAnnotation]), &stored) != nil {
		return v1alpha1.Hold{}
	}
	return stored
}

// encode returns the value of HoldAnnotation, or "" if nothing is held or released.
func encode(h v1alpha1.Hold) string {
	if h.Held == 0 && len(h.Released) == 0 {
		return ""
	}
	text, err := json.Marshal(h)
	if err != nil { // it has no field that could fail
		panic(err)
	}
	return string(text)
}

// judge returns the hold of this round, and whether the release covers what it held. A release
// counts only for a hold that was announced and has not changed since. Released names are kept
// until their namespace exists again or contains no objects.
func judge(stored v1alpha1.Hold, v verdict, release string) (next v1alpha1.Hold, released bool) {
	names := ownership.Unreleased(v.unseen, stored.Released)
	token := ownership.Token(names)
	released = release != "" && release == token && token == stored.Token
	var more []string
	if released {
		more = names
	}
	next = v1alpha1.Hold{Type: HoldNamespaceEndNotSeen, Released: ownership.Release(stored.Released, v.notAlive, more)}
	names = ownership.Unreleased(v.unseen, next.Released)
	next.Token, next.Held, next.Names = ownership.Token(names), int32(len(names)), names[:min(len(names), shown)]
	return next, released
}

// due returns the namespaces whose objects may be deleted.
func due(v verdict, h v1alpha1.Hold) (all, released []string) {
	for _, name := range v.unseen {
		if slices.Contains(h.Released, name) {
			released = append(released, name)
		}
	}
	return slices.Concat(v.deleted, released), released
}
