// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/engine/crd/live"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const (
	// uncheckedCode is the code of the rule for objects that were not checked.
	uncheckedCode = "CRD-L06"
	// LiveRole is the ClusterRole that grants the guard permission to list the objects.
	LiveRole = "roadstead:crdguard-live"
	// margin is the part of a request's time that is reserved for the response.
	margin = time.Second
)

// look is the result of checking stored objects.
type look struct {
	findings []rules.Finding
	// note describes in a sentence what was checked; unnamed is the reason why the findings name no objects, if any.
	note, unnamed string
	// forbidden is set if the permission to list is missing.
	forbidden bool
}

// look replays stored objects under the new CRD, within the budget. It first lists a single object:
// without permission or without objects, the new schema, which takes most of the time, is not built.
func (g *Guard) look(ctx context.Context, user authenticationv1.UserInfo, old, new *apiextensionsv1.CustomResourceDefinition) look {
	if g.options.Objects == nil {
		return look{}
	}
	begin, budget := time.Now(), g.budget(ctx)
	left := func() time.Duration { return max(budget-time.Since(begin), time.Millisecond) }
	found := g.find(ctx, old, budget)
	switch {
	case found.forbidden:
		finding := unchecked(old.Name, fmt.Sprintf("Stored objects were not checked: this server has no permission to list %s "+
			"(ClusterRole %s grants it).", resourceOf(old), LiveRole))
		return look{findings: []rules.Finding{finding}, note: finding.Message, forbidden: true}
	case found.err == nil && found.first == "":
		return look{note: "No objects of the CRD are stored."}
	}
	limited, cancel := context.WithTimeout(ctx, left())
	unnamed := g.unnamed(limited, user, old)
	cancel()
	result, err := live.Replay(ctx, old, new, g.options.Objects, live.Options{Budget: left(), Unnamed: unnamed != ""})
	if len(result.Findings) == 0 {
		unnamed = "" // Nothing is omitted.
	}
	if err != nil {
		finding := unchecked(old.Name, full("Not all stored objects were checked: "+err.Error()))
		return look{findings: append(result.Findings, finding), note: finding.Message, unnamed: unnamed}
	}
	seen := look{findings: result.Findings, unnamed: unnamed}
	seen.note = fmt.Sprintf("All %d stored objects were checked against the new schema.", result.Checked)
	if !result.Complete {
		for _, finding := range result.Findings {
			if finding.Code == uncheckedCode {
				seen.note = finding.Message
			}
		}
	}
	return seen
}

// budget returns the maximum time for checking objects.
func (g *Guard) budget(ctx context.Context) time.Duration {
	budget := g.options.LiveBudget
	if deadline, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Until(deadline)-margin)
	}
	return max(budget, time.Millisecond)
}

// found is the result of listing one object.
type found struct {
	// first is the name of the object, or ""; more is the number of further objects, or -1 if the server does not report it.
	first string
	more  int64
	// err is the error of the list; forbidden is set if the permission to list is missing.
	err       error
	forbidden bool
}

// find lists one object. It prefers the storage version, which needs no conversion.
func (g *Guard) find(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition, budget time.Duration) found {
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	result := found{err: fmt.Errorf("no version of %s is served, so its objects cannot be listed", definition.Name)}
	for _, version := range servedVersions(definition) {
		resource := schema.GroupVersionResource{Group: definition.Spec.Group, Version: version, Resource: definition.Spec.Names.Plural}
		one := found{}
		one.err = g.options.Objects.List(ctx, resource, 1, func(page live.Page) bool {
			if len(page.Items) > 0 {
				one.first, one.more = namespaced(page.Items[0].GetNamespace(), page.Items[0].GetName()), page.Remaining
			}
			return one.first == ""
		})
		if one.err == nil {
			return one
		}
		one.forbidden = apierrors.IsForbidden(one.err) || apierrors.IsUnauthorized(one.err)
		if result = one; one.forbidden {
			return one
		}
	}
	return result
}

// servedVersions returns the names of the served versions, the storage version first.
func servedVersions(definition *apiextensionsv1.CustomResourceDefinition) []string {
	var names []string
	for _, version := range definition.Spec.Versions {
		switch {
		case version.Served && version.Storage:
			names = append([]string{version.Name}, names...)
		case version.Served:
			names = append(names, version.Name)
		}
	}
	return names
}

func resourceOf(definition *apiextensionsv1.CustomResourceDefinition) schema.GroupResource {
	return schema.GroupResource{Group: definition.Spec.Group, Resource: definition.Spec.Names.Plural}
}

func namespaced(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

func unchecked(crd, message string) rules.Finding {
	rule, err := rules.ByCode(uncheckedCode)
	if err != nil {
		panic(err)
	}
	finding := rule.Finding()
	finding.CRD, finding.Message, finding.FixHint, finding.Evidence = crd, message, "", rules.Live
	return finding
}
