// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	release "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takaro "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/peer"
)

// made is an object to send, for either way.
type made struct {
	kind   peer.Kind
	object runtime.Object
}

// takaroURL is the URL in the Domains. Nothing connects to it.
const takaroURL = "https://api.takaro.test"

// domainCount is the number of Domains to which the Users of a namespace belong.
const domainCount = 100

func domainName(n int) string { return fmt.Sprintf("domain-%03d", n%domainCount) }
func userName(n int) string   { return fmt.Sprintf("user-%05d", n) }

// domain returns a Domain whose JSON has about the given number of bytes, or as few as it needs for
// 0.
func domain(name string, bytes int) made {
	object := &takaro.Domain{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: takaro.DomainSpec{
		Name: name, TakaroAPIURL: takaroURL, DeletionPolicy: takaro.DeletionPolicyDelete,
		DomainLimits: &takaro.DomainLimits{MaxGameServers: ptr.To[int32](10), MaxUsers: ptr.To[int32](50)},
	}}
	return made{peer.Domain, padded(object, &object.ObjectMeta, bytes)}
}

// user returns a User of one of the Domains of its namespace. All fields are set for which
// Roadstead has a default, because a CRD cannot take a default from another field.
func user(name string, n, bytes int) made {
	object := &takaro.User{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: takaro.UserSpec{
		Name: name, Email: name + "@users.example.test", DomainRef: takaro.LocalObjectReference{Name: domainName(n)},
		DashboardUser: ptr.To(true), DeletionPolicy: takaro.UserDeletionPolicyDelete,
	}}
	return made{peer.User, padded(object, &object.ObjectMeta, bytes)}
}

// userStatus returns the merge patch of a status as the controller writes it.
func userStatus(n int) ([]byte, error) {
	condition := func(kind, reason, message string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z",
			"observedGeneration": 1}
	}
	return json.Marshal(map[string]any{"status": map[string]any{
		"observedGeneration": 1, "phase": "Ready", "userId": fmt.Sprintf("00000000-0000-4000-8000-%012d", n),
		"credentialsSecretRef": map[string]any{"name": userName(n) + "-takaro-user"}, "roles": []string{"Moderator"},
		"conditions": []any{
			condition("Ready", "Available", "the user exists in Takaro as the spec says"), condition("Synced", "Synced",
				"the last change was written"),
			condition("RolesAssigned", "Assigned", "all roles are assigned"), condition("PasswordValid", "Valid", "Takaro takes the password"),
		},
	}})
}

// padded adds labels and annotations until the JSON has the size, as tools do: many small ones
// instead of one large one. The values are checksums, which compression reduces by no more than
// half, unlike a repeated letter.
func padded(object runtime.Object, meta *metav1.ObjectMeta, bytes int) runtime.Object {
	if bytes == 0 {
		return object
	}
	meta.Labels = map[string]string{"app.kubernetes.io/name": "bench", "app.kubernetes.io/part-of": "roadstead"}
	meta.Annotations = map[string]string{}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // encodes Roadstead's own types
	}
	const each = 128
	for size := len(text); size < bytes; size += each {
		key := fmt.Sprintf("bench.example.test/note-%03d", len(meta.Annotations))
		meta.Annotations[key] = checksum(key, each-len(key)-len(`"":"",`))
	}
	return object
}

// checksum returns hexadecimal digits derived from a text.
func checksum(of string, digits int) string {
	var sum string
	for len(sum) < digits {
		sum += fmt.Sprintf("%x", sha256.Sum256([]byte(of+sum)))
	}
	return sum[:digits]
}

// crdSchema returns a CRDSchema whose definition has more fields than that of its baseline. An
// empty baseline means none.
func crdSchema(name, against string, more int) made {
	properties := map[string]any{}
	for i := range 40 + more {
		properties[fmt.Sprintf("field%02d", i)] = map[string]any{"type": "string", "maxLength": 63,
			"description": "What the field is for, in a few words."}
	}
	definition, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.bench.example.test"},
		"spec": map[string]any{
			"group": "bench.example.test", "scope": "Namespaced", "names": map[string]any{"plural": "widgets",
				"singular": "widget", "kind": "Widget"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": properties}},
				}}}},
		},
	})
	if err != nil {
		panic(err) // encodes plain maps
	}
	object := &release.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: release.CRDSchemaSpec{Definition: runtime.RawExtension{Raw: definition}}}
	if against != "" {
		object.Spec.AgainstRef = &release.LocalObjectReference{Name: against}
	}
	return made{peer.CRDSchema, object}
}
