// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/world"
)

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	snapshots   = schema.GroupVersionResource{Group: "release.roadstead.dev", Version: "v1alpha1", Resource: "crdsnapshots"}
)

const (
	// readLimit is how long a client tries to read the result of a change.
	readLimit = time.Minute
	// seenLimit is how long the controller may take to read a CRD before it is changed.
	seenLimit = 15 * time.Second
)

// definition returns a CRD whose objects have these fields.
func definition(name string, fields ...string) *unstructured.Unstructured {
	properties := map[string]any{}
	for _, field := range fields {
		properties[field] = map[string]any{"type": "string"}
	}
	group := name + ".chaos.example.com"
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "widgets." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": properties}},
				}}}},
		},
	}}
}

// changeCRD creates a CRD and applies a harmless or a breaking change to it.
func (c *client) changeCRD(ctx context.Context, name string, harmless bool) {
	before := definition(name, "size", "color")
	if !c.ensure(ctx, before) {
		return
	}
	after := definition(name, "size")
	if harmless {
		after = definition(name, "size", "color", "shape")
	}
	seen, known := c.awaitSeen(ctx, before.GetName())
	if known == nil {
		return
	}
	after.SetResourceVersion(known.GetResourceVersion())
	attempt := check.Attempt{CRD: before.GetName(), Begin: time.Now(), Harmless: harmless, Seen: seen}
	_, err := c.world.Dynamic.Resource(definitions).Update(ctx, after, metav1.UpdateOptions{})
	attempt.End = time.Now()
	attempt.Passed, attempt.Refused = err == nil, err != nil && strings.Contains(err.Error(), "allow-change")
	if apierrors.IsConflict(err) {
		return // kube-apiserver wrote the status in the meantime; the guard was not called
	}
	if !attempt.Passed && !attempt.Refused {
		now := c.get(ctx, before.GetName())
		if now == nil {
			return
		}
		attempt.Passed = now.GetGeneration() > known.GetGeneration()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts = append(c.attempts, attempt)
}

// ensure creates a CRD, with retries.
func (c *client) ensure(ctx context.Context, what *unstructured.Unstructured) bool {
	for end := time.Now().Add(readLimit); time.Now().Before(end) && ctx.Err() == nil; wait(ctx, time.Second) {
		_, err := c.world.Dynamic.Resource(definitions).Create(ctx, what, metav1.CreateOptions{})
		if err == nil || apierrors.IsAlreadyExists(err) {
			return true
		}
	}
	return false
}

// get reads a CRD, with retries. It returns nil if it receives no response.
func (c *client) get(ctx context.Context, name string) *unstructured.Unstructured {
	for end := time.Now().Add(readLimit); time.Now().Before(end) && ctx.Err() == nil; wait(ctx, time.Second) {
		if now, err := c.world.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{}); err == nil {
			return now
		}
	}
	return nil
}

// awaitSeen waits until kube-apiserver has processed the CRD. It returns the CRD and whether the
// controller knows its current state.
func (c *client) awaitSeen(ctx context.Context, name string) (bool, *unstructured.Unstructured) {
	for end := time.Now().Add(seenLimit); time.Now().Before(end) && ctx.Err() == nil; wait(ctx, 500*time.Millisecond) {
		now := c.get(ctx, name)
		snapshot, err := c.world.Dynamic.Resource(snapshots).Get(ctx, name, metav1.GetOptions{})
		if now == nil || err != nil || !world.IsTrue(now, "Established") {
			continue
		}
		generation, _, _ := unstructured.NestedInt64(snapshot.Object, "spec", "generation")
		if generation == now.GetGeneration() {
			return true, now
		}
	}
	return false, c.get(ctx, name)
}
