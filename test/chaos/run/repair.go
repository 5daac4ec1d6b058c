// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// After the last fault, an administrator follows the instructions in the conditions: releases
// holds, accepts the Takaro that answers, and creates again the domains that Takaro lost and that a
// Domain adopts.

var endpoints = schema.GroupVersionResource{Group: "takaro.roadstead.dev", Version: "v1alpha1", Resource: "takaroendpoints"}

// The annotations of a TakaroEndpoint for decisions of an administrator: one releases what it
// holds, the other accepts the Takaro at its address.
const (
	releaseAnnotation = "roadstead.dev/release-hold"
	acceptAnnotation  = "roadstead.dev/accept-identity"
)

// acceptToken is the token in the message of the condition Ready.
var acceptToken = regexp.MustCompile(regexp.QuoteMeta(acceptAnnotation) + `=(\S+)`)

// repair follows these instructions once. What fails is retried by the next call.
func repair(ctx context.Context, w *world.World, stored []check.Object) error {
	return errors.Join(release(ctx, w), plantAgain(w, stored))
}

// release releases all current holds, and accepts all identities that wait for acceptance.
func release(ctx context.Context, w *world.World) error {
	list, err := w.Dynamic.Resource(endpoints).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list TakaroEndpoints: %w", err)
	}
	for i := range list.Items {
		endpoint := &list.Items[i]
		for annotation, token := range map[string]string{releaseAnnotation: heldToken(endpoint), acceptAnnotation: unaccepted(endpoint)} {
			if err := annotate(ctx, w, endpoint, annotation, token); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotate sets an annotation as the printed command does. It does nothing without a token, or if
// the token is already set.
func annotate(ctx context.Context, w *world.World, endpoint *unstructured.Unstructured, annotation, token string) error {
	if token == "" || endpoint.GetAnnotations()[annotation] == token {
		return nil
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, annotation, token)
	_, err := w.Dynamic.Resource(endpoints).Namespace(endpoint.GetNamespace()).
		Patch(ctx, endpoint.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("annotate TakaroEndpoint %s/%s with %s: %w", endpoint.GetNamespace(), endpoint.GetName(), annotation, err)
	}
	w.Logf("TakaroEndpoint %s/%s is annotated: %s=%s", endpoint.GetNamespace(), endpoint.GetName(), annotation, token)
	return nil
}

// unaccepted returns the token that accepts the Takaro at the address of a TakaroEndpoint, or "" if
// none is required.
func unaccepted(endpoint *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(endpoint.Object, "status", "conditions")
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		message, _, _ := unstructured.NestedString(condition, "message")
		if found := acceptToken.FindStringSubmatch(message); condition["type"] == "Ready" && found != nil {
			return found[1]
		}
	}
	return ""
}

// heldToken returns the token that releases what a TakaroEndpoint holds, or "" if it holds nothing.
func heldToken(endpoint *unstructured.Unstructured) string {
	holds, _, _ := unstructured.NestedSlice(endpoint.Object, "status", "holds")
	for _, one := range holds {
		if hold, ok := one.(map[string]any); ok {
			if token, _, _ := unstructured.NestedString(hold, "token"); token != "" {
				return token
			}
		}
	}
	return ""
}

// plantAgain creates the domains that Domains adopt and that do not exist.
func plantAgain(w *world.World, stored []check.Object) error {
	exists := map[string]bool{}
	for _, domain := range w.Outside().Domains {
		exists[domain.ExternalReference] = true
	}
	for _, object := range stored {
		if object.Adopt && !object.Deleting && !exists[object.Reference] {
			seed := takaro.Seed{Name: "adoptable-" + object.Reference + "-again", ExternalReference: object.Reference}
			if _, err := w.Plant(seed, true); err != nil {
				return err
			}
			w.Logf("the domain that %s adopts is created again", object.Key)
		}
	}
	return nil
}
