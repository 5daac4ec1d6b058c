// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// DefaultPageSize is how many objects are held in memory at a time where nothing else is said.
const DefaultPageSize = 500

// Options bound a replay.
type Options struct {
	// Budget is how long it may take; 0 for as long as it takes.
	Budget time.Duration
	// PageSize is how many objects are read at a time; DefaultPageSize where 0.
	PageSize int64
	// MaxObjects is how many objects are looked at; 0 for all.
	MaxObjects int
	// Unnamed leaves out of the findings which objects are affected and what they hold, for readers who may not list them.
	// What remains are counts, and places in the schema.
	Unnamed bool
}

// Result is what was seen.
type Result struct {
	// Findings with Live evidence, one for each kind of problem and place in the schema.
	Findings []rules.Finding
	// Version through which the objects were read; empty where there is none.
	Version string
	// Checked is how many objects were looked at.
	Checked int
	// Complete tells whether these were all.
	Complete bool
}

// Replay puts the objects of a cluster that serves old to the test under new: it reads each as the server would, makes it
// anew, updates its metadata and its status, and applies it, without writing anything. What is wrong under old already is
// not counted. Where objects cannot be looked at, a finding says why; an error is given only where a definition is nil or
// the context of the caller ends, with what was found until then.
func Replay(ctx context.Context, old, new *apiextensionsv1.CustomResourceDefinition, lister Lister, options Options) (Result, error) {
	if old == nil || new == nil {
		return Result{}, errors.New("objects can be replayed only where there is both an old and a new definition")
	}
	version, why := commonVersion(old, new)
	if version == "" {
		return unchecked(old.Name, "", 0, nil, why), nil
	}
	budgeted, cancel := ctx, context.CancelFunc(func() {})
	if options.Budget > 0 {
		budgeted, cancel = context.WithTimeout(ctx, options.Budget)
	}
	defer cancel()
	replayer, err := newReplayer(old, new, version)
	if err != nil {
		return unchecked(old.Name, version, 0, nil, err.Error()), nil
	}
	counts := tally{counts: map[problem]*count{}, unnamed: options.Unnamed}
	run := run{ctx: budgeted, replayer: replayer, limit: options.MaxObjects, left: -1, tally: counts}
	size := options.PageSize
	if size <= 0 {
		size = DefaultPageSize
	}
	resource := schema.GroupVersionResource{Group: old.Spec.Group, Version: version, Resource: old.Spec.Names.Plural}
	err = lister.List(budgeted, resource, size, run.page)
	findings := run.tally.findings(old.Name, version, run.checked)
	why = run.incomplete(ctx, err, options, resource)
	if why == "" {
		return Result{Findings: findings, Version: version, Checked: run.checked, Complete: true}, nil
	}
	return unchecked(old.Name, version, run.checked, findings, why), ctx.Err()
}

// run is a replay under way.
type run struct {
	ctx      context.Context
	replayer *replayer
	tally    tally
	limit    int
	checked  int
	// left is how many objects are known to be left; -1 where the server does not say.
	left int64
	// failed is how many objects could not be looked at, with the first reason.
	failed int
	reason string
}

func (r *run) page(page Page) bool {
	for i := range page.Items {
		r.left = page.Remaining
		if r.left >= 0 {
			r.left += int64(len(page.Items) - i)
		}
		if r.ctx.Err() != nil || r.limit > 0 && r.checked+r.failed >= r.limit {
			return false
		}
		if !r.object(&page.Items[i]) {
			return false
		}
	}
	r.left = page.Remaining
	return r.ctx.Err() == nil
}

// object looks at one; false says that there was no time to.
func (r *run) object(object *unstructured.Unstructured) bool {
	name := object.GetName()
	if namespace := object.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	hits, err := r.replayer.replay(r.ctx, object)
	if err != nil {
		r.failed++
		if r.reason == "" {
			r.reason = name + ": " + err.Error()
		}
		return true
	}
	// What was cut short by the end of the budget is no finding.
	if r.ctx.Err() != nil {
		return false
	}
	r.checked++
	r.tally.add(name, hits)
	return true
}

// incomplete says why not all objects were checked; empty where they were.
func (r *run) incomplete(ctx context.Context, err error, options Options, resource schema.GroupVersionResource) string {
	of := "how many there are is not known"
	if r.left >= 0 {
		of = fmt.Sprintf("there are %d", int64(r.checked+r.failed)+r.left)
	}
	switch {
	case err == nil && r.left == 0 && r.failed == 0:
		return ""
	case ctx.Err() != nil:
		return fmt.Sprintf("the check was called off after %d objects; %s", r.checked, of)
	case r.ctx.Err() != nil:
		return fmt.Sprintf("the budget of %s ended after %d objects; %s", options.Budget, r.checked, of)
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		return fmt.Sprintf("there is no right to list %s: %v", resource.GroupResource(), err)
	case err != nil && options.Unnamed:
		// A conversion webhook may name the object that it failed for.
		return fmt.Sprintf("the list of %s failed after %d objects", resource.GroupResource(), r.checked)
	case err != nil:
		return fmt.Sprintf("the list of %s failed after %d objects: %v", resource.GroupResource(), r.checked, err)
	case r.failed > 0 && options.Unnamed:
		return fmt.Sprintf("%d objects could not be checked; %s", r.failed, of)
	case r.failed > 0:
		return fmt.Sprintf("%d objects could not be checked, the first of them %s; %s", r.failed, r.reason, of)
	}
	return fmt.Sprintf("only %d objects were to be checked; %s", r.limit, of)
}

// unchecked is a result that says why it is not whole.
func unchecked(crd, version string, checked int, findings []rules.Finding, why string) Result {
	finding := newFinding("L06", crd, version)
	finding.Message = fmt.Sprintf("Stored objects were not all checked: %s.", why)
	return Result{Findings: append(findings, finding), Version: version, Checked: checked}
}
