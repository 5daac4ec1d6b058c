// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Reasons why a part does not work.
const (
	NotServed = "NotServed"
	Forbidden = "Forbidden"
)

// Facts are the results of a probe of the cluster.
type Facts struct {
	// Version is the version of the cluster, for messages.
	Version string
	// Unserved are the resources that the cluster does not serve.
	Unserved sets.Set[schema.GroupVersionResource]
	// Denied are the permissions that this server lacks, for resources that are served.
	Denied sets.Set[Right]
}

// Missing is a part that does not work.
type Missing struct {
	Need
	// Reason is NotServed or Forbidden.
	Reason string
	// What is missing, for messages: "mutatingadmissionpolicies.v1.admissionregistration.k8s.io".
	What string
}

// Decide returns the parts of needs that do not work in this cluster, in their order.
func Decide(needs []Need, facts Facts) []Missing {
	var all []Missing
	for _, need := range needs {
		var unserved, denied []string
		for _, right := range need.Rights {
			if facts.Unserved.Has(right.Resource) {
				unserved = append(unserved, name(right.Resource))
			} else if facts.Denied.Has(right) {
				denied = append(denied, right.String())
			}
		}
		switch {
		case len(unserved) > 0:
			all = append(all, Missing{Need: need, Reason: NotServed, What: join(unserved)})
		case len(denied) > 0:
			all = append(all, Missing{Need: need, Reason: Forbidden, What: join(denied)})
		}
	}
	return all
}

// split returns the parts that the cluster does not serve, and the parts for which a permission is
// missing.
func split(missing []Missing) (unserved, denied []Missing) {
	for _, m := range missing {
		if m.Reason == NotServed {
			unserved = append(unserved, m)
		} else {
			denied = append(denied, m)
		}
	}
	return unserved, denied
}

// Err returns an error about the essential parts that the cluster does not serve, nil if there is
// none. Missing permissions are not an error, because they can still be granted.
func Err(missing []Missing) error {
	var errs []error
	for _, m := range missing {
		if m.Essential && m.Reason == NotServed {
			errs = append(errs, fmt.Errorf("%s cannot be off, but %s", m.Part, m.sentence()))
		}
	}
	return errors.Join(errs...)
}

// Message returns what is missing for a part, the consequence, and what to do.
func (m Missing) Message() string {
	if m.Reason == NotServed {
		return fmt.Sprintf("%s is off: %s. Until then %s", m.Part, m.sentence(), m.Loss)
	}
	return fmt.Sprintf("%s: %s%s", m.Part, m.sentence(), m.without())
}

func (m Missing) sentence() string {
	if m.Reason == NotServed {
		return fmt.Sprintf("the cluster does not serve %s, which requires a newer Kubernetes version: upgrade the cluster, "+
			"then restart this server", m.What)
	}
	grant := cmp.Or(m.Grant, defaultGrant)
	return fmt.Sprintf("this server lacks the permission to %s in the cluster; apply the %s of this release's manifests", m.What, grant)
}

// without returns how to disable a part; empty if the server requires it.
func (m Missing) without() string {
	switch {
	case m.Essential:
		return ""
	case m.Part == Fairness:
		return ", or set --enable-priority-and-fairness=false"
	}
	return ", or set --disable-admission-plugins=" + m.Part
}

// String returns the permission for messages: "update resourcequotas/status", "get configmaps
// kube-system/one".
func (r Right) String() string {
	resource := r.Resource.GroupResource().String()
	if r.Subresource != "" {
		resource = schema.GroupResource{Group: r.Resource.Group, Resource: r.Resource.Resource + "/" + r.Subresource}.String()
	}
	if r.Name != "" {
		resource += " " + r.Namespace + "/" + r.Name
	}
	return r.Verb + " " + resource
}

func name(resource schema.GroupVersionResource) string {
	return strings.TrimSuffix(resource.Resource+"."+resource.Version+"."+resource.Group, ".")
}

func join(all []string) string {
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}
