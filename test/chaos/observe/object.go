// SPDX-License-Identifier: Apache-2.0

// Package observe observes a run: what is stored, what watches report, and what Takaro and Redis
// contain.
package observe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
)

// MarkAnnotation holds the mark of the last write of an object.
const MarkAnnotation = "chaos.roadstead.test/write"

// Resources are the kinds that clients write.
var Resources = map[string]schema.GroupVersionResource{
	check.Domain:     {Group: "takaro.roadstead.dev", Version: "v1alpha1", Resource: "domains"},
	check.User:       {Group: "takaro.roadstead.dev", Version: "v1alpha1", Resource: "users"},
	check.MockServer: {Group: "takaro.roadstead.dev", Version: "v1alpha1", Resource: "mockservers"},
}

// Object returns the data of a stored object that the checks need.
func Object(in *unstructured.Unstructured) check.Object {
	text := func(path ...string) string { s, _, _ := unstructured.NestedString(in.Object, path...); return s }
	number := func(path ...string) int { n, _, _ := unstructured.NestedInt64(in.Object, path...); return int(n) }
	o := check.Object{
		Key: history.Key{Kind: in.GetKind(), Namespace: in.GetNamespace(), Name: in.GetName()},
		UID: string(in.GetUID()), Version: in.GetResourceVersion(), Deleting: in.GetDeletionTimestamp() != nil,
		Domain: text("spec", "domainRef", "name"), Reference: text("spec", "externalReferenceId"),
		Policy: text("spec", "deletionPolicy"), LoginSecret: text("status", "credentialsSecretRef", "name"),
		TokenSecret: text("status", "registrationTokenSecretRef", "name"), Credentials: text("spec", "credentialsSecretRef", "name"),
		Name: text("spec", "name"), Email: text("spec", "email"), MaxGameServers: number("spec", "domainLimits", "maxGameServers"),
		Replicas: number("spec", "replicas"),
	}
	o.Mark, _ = strconv.Atoi(in.GetAnnotations()[MarkAnnotation])
	o.Adopt, _, _ = unstructured.NestedBool(in.Object, "spec", "adopt")
	o.Roles, _, _ = unstructured.NestedStringSlice(in.Object, "spec", "roles")
	switch in.GetKind() {
	case check.Domain:
		o.OutsideID = text("status", "domainId")
		o.DomainID, o.LoginSecret = o.OutsideID, text("status", "rootCredentialsSecretRef", "name")
	case check.User:
		o.OutsideID = text("status", "userId")
	}
	servers, _, _ := unstructured.NestedSlice(in.Object, "status", "gameServers")
	for _, one := range servers {
		if server, ok := one.(map[string]any); ok {
			id, _, _ := unstructured.NestedString(server, "id")
			o.Servers = append(o.Servers, id)
		}
	}
	o.Unused = o.OutsideID != "" && recordedLate(in, o.OutsideID)
	o.Ready, o.Reason, o.Message = ready(in)
	return o
}

// recordedLate reports whether an id was recorded after the deletion of the object had begun.
func recordedLate(in *unstructured.Unstructured, id string) bool {
	deleted := in.GetDeletionTimestamp()
	records, _, _ := unstructured.NestedSlice(in.Object, "status", "ownership", "records")
	return deleted != nil && slices.ContainsFunc(records, func(one any) bool {
		record, _ := one.(map[string]any)
		text, _ := record["since"].(string)
		since, err := time.Parse(time.RFC3339, text)
		return record["id"] == id && err == nil && !since.Before(deleted.Time)
	})
}

// ready returns the condition Ready if it is about the current generation.
func ready(in *unstructured.Unstructured) (status, reason, message string) {
	conditions, _, _ := unstructured.NestedSlice(in.Object, "status", "conditions")
	for _, one := range conditions {
		condition, _ := one.(map[string]any)
		if condition["type"] != "Ready" {
			continue
		}
		status, _, _ = unstructured.NestedString(condition, "status")
		reason, _, _ = unstructured.NestedString(condition, "reason")
		message, _, _ = unstructured.NestedString(condition, "message")
		if observed, _, _ := unstructured.NestedInt64(condition, "observedGeneration"); observed != in.GetGeneration() {
			return "", reason, "of an older generation: " + message
		}
	}
	return status, reason, message
}

// Stored returns all objects of all kinds.
func Stored(ctx context.Context, client dynamic.Interface) ([]check.Object, error) {
	var all []check.Object
	for kind, resource := range Resources {
		list, err := client.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", kind, err)
		}
		for i := range list.Items {
			all = append(all, Object(&list.Items[i]))
		}
	}
	return Complete(all), nil
}

// Complete sets the Takaro domain of Users and MockServers from their Domain.
func Complete(all []check.Object) []check.Object {
	ids := map[history.Key]string{}
	for _, o := range all {
		if o.Key.Kind == check.Domain {
			ids[o.Key] = o.OutsideID
		}
	}
	for i, o := range all {
		if o.Domain != "" {
			all[i].DomainID = ids[history.Key{Kind: check.Domain, Namespace: o.Key.Namespace, Name: o.Domain}]
		}
	}
	return all
}
