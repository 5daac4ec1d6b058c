// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var events = schema.GroupVersionResource{Version: "v1", Resource: "events"}

const (
	// quietLimit is the maximum number of objects for which events are read. With more objects the
	// cause is a common one.
	quietLimit = 20
	// recent is the maximum age of a relevant event.
	recent = time.Hour
)

// addEvents adds the latest warning event to findings about objects without a message.
func (c *cluster) addEvents(ctx context.Context, findings []*finding, now time.Time) {
	asked := 0
	for _, f := range findings {
		for _, n := range f.nodes {
			if !n.quiet || n.title() != f.title() || asked == quietLimit {
				continue
			}
			asked++
			if text := c.lastWarning(ctx, n, now); text != "" {
				f.Message = joinSentences(f.Message, text)
			}
		}
	}
}

func joinSentences(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}

// lastWarning returns the latest warning event; empty if there is none, or if the caller may not
// list events.
func (c *cluster) lastWarning(ctx context.Context, n *node, now time.Time) string {
	namespace := n.object.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault // where events of cluster-scoped objects are
	}
	list, err := c.objects.Resource(events).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: pageSize, FieldSelector: fields.Set{
		"type": "Warning", "involvedObject.kind": n.kind.Kind, "involvedObject.name": n.object.GetName(),
	}.String()})
	if err != nil {
		return ""
	}
	var last *unstructured.Unstructured
	var when time.Time
	for i := range list.Items {
		event := &list.Items[i]
		uid, _, _ := unstructured.NestedString(event.Object, "involvedObject", "uid")
		// An event of an earlier object with the same name is not about this one.
		if at := eventTime(event); uid == string(n.object.GetUID()) && now.Sub(at) <= recent && at.After(when) {
			last, when = event, at
		}
	}
	if last == nil {
		return ""
	}
	reason, _, _ := unstructured.NestedString(last.Object, "reason")
	message, _, _ := unstructured.NestedString(last.Object, "message")
	return oneLine(fmt.Sprintf("last warning, %s ago: %s: %s", age(when, now), reason, message))
}

// eventTime returns the latest time of an event, whichever API created it.
func eventTime(event *unstructured.Unstructured) time.Time {
	latest := event.GetCreationTimestamp().Time
	for _, path := range [][]string{{"lastTimestamp"}, {"eventTime"}, {"series", "lastObservedTime"}} {
		text, _, _ := unstructured.NestedString(event.Object, path...)
		if at, err := time.Parse(time.RFC3339, text); err == nil && at.After(latest) {
			latest = at
		}
	}
	return latest
}
