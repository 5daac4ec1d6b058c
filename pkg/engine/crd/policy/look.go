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
	// uncheckedCode is that of the rule that objects were not all looked at.
	uncheckedCode = "CRD-L06"
	// LiveRole is the ClusterRole that lets the guard list what it is to look at.
	LiveRole = "roadstead:crdguard-live"
	// margin of a request's time is left for the answer.
	margin = time.Second
)

// look is what was seen of stored objects.
type look struct {
	findings []rules.Finding
	// note says in a sentence what was looked at, and unnamed why the findings name no objects; empty if they do.
	note, unnamed string
	// forbidden says that there was no right to.
	forbidden bool
}

// look replays stored objects under the new definition, within the budget. One object is asked for first: without the
// right, and without objects, the new schema need not be made ready, which takes most of the time.
func (g *Guard) look(ctx context.Context, user authenticationv1.UserInfo, old, new *apiextensionsv1.CustomResourceDefinition) look {
	if g.options.Objects == nil {
		return look{}
	}
	begin, budget := time.Now(), g.budget(ctx)
	left := func() time.Duration { return max(budget-time.Since(begin), time.Millisecond) }
	found := g.find(ctx, old, budget)
	switch {
	case found.forbidden:
		finding := unchecked(old.Name, fmt.Sprintf("Stored objects were not looked at: this server has no right to list %s "+
			"(ClusterRole %s gives it).", resourceOf(old), LiveRole))
		return look{findings: []rules.Finding{finding}, note: finding.Message, forbidden: true}
	case found.err == nil && found.first == "":
		return look{note: "No object is stored under the definition now."}
	}
	limited, cancel := context.WithTimeout(ctx, left())
	unnamed := g.unnamed(limited, user, old)
	cancel()
	result, err := live.Replay(ctx, old, new, g.options.Objects, live.Options{Budget: left(), Unnamed: unnamed != ""})
	if len(result.Findings) == 0 {
		unnamed = "" // Nothing is left out.
	}
	if err != nil {
		finding := unchecked(old.Name, full("Stored objects were not all checked: "+err.Error()))
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

// budget is how long objects may be looked at.
func (g *Guard) budget(ctx context.Context) time.Duration {
	budget := g.options.LiveBudget
	if deadline, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Until(deadline)-margin)
	}
	return max(budget, time.Millisecond)
}

// found is one stored object.
type found struct {
	// first is its name, empty where there is none; more is how many come after it, -1 where the server does not say.
	first string
	more  int64
	// err says why it could not be told; forbidden that there is no right to list.
	err       error
	forbidden bool
}

// find asks for one object, through the storage version before others, as nothing is converted there.
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

// servedVersions are the names of the versions through which objects can be read, that of storage first.
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
