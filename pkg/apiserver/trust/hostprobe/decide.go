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

// Reasons why a part cannot work.
const (
	NotServed = "NotServed"
	Forbidden = "Forbidden"
)

// Facts are what was found in the host.
type Facts struct {
	// Version is that of the host, for people.
	Version string
	// Unserved are the resources that it does not serve.
	Unserved sets.Set[schema.GroupVersionResource]
	// Denied are the rights that this server does not have, of resources that are served.
	Denied sets.Set[Right]
}

// Missing is a part that cannot work.
type Missing struct {
	Need
	// Reason is NotServed or Forbidden.
	Reason string
	// What is missing, for people: "mutatingadmissionpolicies.v1.admissionregistration.k8s.io".
	What string
}

// Decide returns the parts of needs that cannot work in this host, in their order.
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

// split returns the parts that the cluster does not serve, and those for which a right is missing.
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

// Err is the error of the essential parts that the cluster does not serve, nil if there is none. Missing rights are no error,
// because they can still be granted.
func Err(missing []Missing) error {
	var errs []error
	for _, m := range missing {
		if m.Essential && m.Reason == NotServed {
			errs = append(errs, fmt.Errorf("%s cannot be off, but %s", m.Part, m.sentence()))
		}
	}
	return errors.Join(errs...)
}

// Message returns what is missing for a part, what follows, and what to do.
func (m Missing) Message() string {
	if m.Reason == NotServed {
		return fmt.Sprintf("%s is off: %s. Until then %s", m.Part, m.sentence(), m.Loss)
	}
	return fmt.Sprintf("%s: %s%s", m.Part, m.sentence(), m.without())
}

func (m Missing) sentence() string {
	if m.Reason == NotServed {
		return fmt.Sprintf("the host cluster does not serve %s; a newer host does: upgrade it, then restart this server", m.What)
	}
	grant := cmp.Or(m.Grant, defaultGrant)
	return fmt.Sprintf("this server may not %s in the host cluster; apply the %s of this release's manifests", m.What, grant)
}

// without returns how to run without a part on purpose; empty if the server needs it.
func (m Missing) without() string {
	switch {
	case m.Essential:
		return ""
	case m.Part == Fairness:
		return ", or set --enable-priority-and-fairness=false"
	}
	return ", or set --disable-admission-plugins=" + m.Part
}

// String is for people: "update resourcequotas/status", "get configmaps kube-system/one".
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
