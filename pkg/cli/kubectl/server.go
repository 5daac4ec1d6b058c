// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// server returns what is wrong with the API itself: APIServices that are not available, and checks
// of the server that fail. Few users may list APIServices or proxy to a Service; for others it uses
// the errors of discovery.
func (c *cluster) server(ctx context.Context, found *catalog) []*finding {
	list, err := c.objects.Resource(apiServices).List(ctx, metav1.ListOptions{Limit: pageSize})
	if err != nil {
		return unasked(found)
	}
	groups := sets.New[string]()
	for _, k := range found.ours() {
		groups.Insert(k.version.Group)
	}
	var findings []*finding
	asked := sets.New[string]()
	for i := range list.Items {
		service := &list.Items[i]
		group, _, _ := unstructured.NestedString(service.Object, "spec", "group")
		if !groups.Has(group) && !strings.HasSuffix(group, groupSuffix) {
			continue
		}
		if f := unavailable(service); f != nil {
			findings = append(findings, f)
		}
		if path := readyzPath(service); path != "" && !asked.Has(path) {
			asked.Insert(path)
			if f := c.readyz(ctx, service, path); f != nil {
				findings = append(findings, f)
			}
		}
	}
	return findings
}

func unavailable(service *unstructured.Unstructured) *finding {
	available := condition(conditionsOf(service), "Available")
	f := &finding{Kind: "APIService", Name: service.GetName()}
	switch {
	case available == nil:
		f.Reason, f.Message = reasonNoStatus, "its availability has not been checked yet"
	case available.Status == metav1.ConditionTrue:
		return nil
	default:
		f.Reason, f.Message = available.Reason, oneLine(available.Message)
		if since := available.LastTransitionTime.Time; !since.IsZero() {
			f.Since = &since
		}
	}
	f.Message += "; its kinds cannot be queried until it is available"
	return f
}

// unasked returns findings for users that may not list APIServices.
func unasked(found *catalog) []*finding {
	var findings []*finding
	for _, version := range found.ourFailed() {
		findings = append(findings, &finding{Kind: "APIService", Name: version.Version + "." + version.Group, Reason: "Unavailable",
			Message: oneLine(fmt.Sprintf("its server does not respond: %v; its kinds cannot be queried until it does", found.failed[version]))})
	}
	return findings
}

// readyzPath returns the proxy path of /readyz of an APIService's server; empty if kube-apiserver
// serves it.
func readyzPath(service *unstructured.Unstructured) string {
	text := func(name string) string {
		value, _, _ := unstructured.NestedString(service.Object, "spec", "service", name)
		return value
	}
	if text("name") == "" || text("namespace") == "" {
		return ""
	}
	port, found, _ := unstructured.NestedInt64(service.Object, "spec", "service", "port")
	if !found {
		port = 443
	}
	return fmt.Sprintf("/api/v1/namespaces/%s/services/https:%s:%d/proxy/readyz", text("namespace"), text("name"), port)
}

// readyz returns a finding if the server responds that it is not ready. Any other response is not
// from the server: the permission is missing, or kube-apiserver cannot connect to the server, which
// the APIService reports.
func (c *cluster) readyz(ctx context.Context, service *unstructured.Unstructured, path string) *finding {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	body, err := c.get(ctx, path)
	if err == nil {
		return nil
	}
	failed := failedChecks(string(body))
	if len(failed) == 0 {
		return nil
	}
	name, _, _ := unstructured.NestedString(service.Object, "spec", "service", "name")
	namespace, _, _ := unstructured.NestedString(service.Object, "spec", "service", "namespace")
	return &finding{Kind: "Service", Namespace: namespace, Name: name, Reason: "NotReady",
		Message: fmt.Sprintf("its server is not ready: its %s failed: %s; see the log of the server", checks(len(failed)),
			strings.Join(failed, ", "))}
}

// failedChecks reads the verbose form of /readyz, in which a failed check is "[-]name failed: ...".
func failedChecks(body string) []string {
	var failed []string
	for line := range strings.Lines(body) {
		if rest, is := strings.CutPrefix(line, "[-]"); is {
			name, _, _ := strings.Cut(rest, " ")
			failed = append(failed, strings.TrimSpace(name))
		}
	}
	slices.Sort(failed)
	return slices.Compact(failed)
}

func checks(n int) string {
	if n == 1 {
		return "check"
	}
	return "checks"
}
