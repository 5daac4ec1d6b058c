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

// DefaultPageSize is the default number of objects that are held in memory at a time.
const DefaultPageSize = 500

// Options limit a replay.
type Options struct {
	// Budget is the maximum duration; 0 means no limit.
	Budget time.Duration
	// PageSize is the number of objects that are read at a time. Defaults to DefaultPageSize.
	PageSize int64
	// MaxObjects is the maximum number of objects that are checked; 0 means no limit.
	MaxObjects int
	// Unnamed omits names and contents of objects from the findings, for readers that may not list the
	// objects. Counts and places in the schema remain.
	Unnamed bool
}

// Result is the result of a replay.
type Result struct {
	// Findings have Live evidence, one for each kind of problem and place in the schema.
	Findings []rules.Finding
	// Version is the version that the objects were read in; empty if there is none.
	Version string
	// Checked is the number of checked objects.
	Checked int
	// Complete is set if all objects were checked.
	Complete bool
}

// Replay checks the objects of a cluster that serves old against new: it reads each as the server would,
// recreates it, updates its metadata and status, and applies it, without writing anything. Problems that
// exist under old are not counted. If objects cannot be checked, a finding contains the reason. An error is
// returned only if a CRD is nil or the caller's context ends, with the findings until then.
func Replay(ctx context.Context, old, new *apiextensionsv1.CustomResourceDefinition, lister Lister, options Options) (Result, error) {
	if old == nil || new == nil {
		return Result{}, errors.New("replay objects: an old and a new CRD are required")
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

// run is the state of a replay.
type run struct {
	ctx      context.Context
	replayer *replayer
	tally    tally
	limit    int
	checked  int
	// left is the number of remaining objects, or -1 if the server does not report it.
	left int64
	// failed is the number of objects that could not be checked; reason is the first error.
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

// object replays one object. It returns false if the context ended.
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
	// Errors that are caused by the end of the budget are not findings.
	if r.ctx.Err() != nil {
		return false
	}
	r.checked++
	r.tally.add(name, hits)
	return true
}

// incomplete returns the reason why not all objects were checked, or "".
func (r *run) incomplete(ctx context.Context, err error, options Options, resource schema.GroupVersionResource) string {
	of := "the total number is unknown"
	if r.left >= 0 {
		of = fmt.Sprintf("%d exist", int64(r.checked+r.failed)+r.left)
	}
	switch {
	case err == nil && r.left == 0 && r.failed == 0:
		return ""
	case ctx.Err() != nil:
		return fmt.Sprintf("the check was canceled after %d objects; %s", r.checked, of)
	case r.ctx.Err() != nil:
		return fmt.Sprintf("the time limit of %s was reached after %d objects; %s", options.Budget, r.checked, of)
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		return fmt.Sprintf("permission to list %s is missing: %v", resource.GroupResource(), err)
	case err != nil && options.Unnamed:
		// The error of a conversion webhook may contain the name of an object.
		return fmt.Sprintf("listing %s failed after %d objects", resource.GroupResource(), r.checked)
	case err != nil:
		return fmt.Sprintf("listing %s failed after %d objects: %v", resource.GroupResource(), r.checked, err)
	case r.failed > 0 && options.Unnamed:
		return fmt.Sprintf("%d objects could not be checked; %s", r.failed, of)
	case r.failed > 0:
		return fmt.Sprintf("%d objects could not be checked, the first one is %s; %s", r.failed, r.reason, of)
	}
	return fmt.Sprintf("the limit of %d objects was reached; %s", r.limit, of)
}

// unchecked returns an incomplete result with the reason.
func unchecked(crd, version string, checked int, findings []rules.Finding, why string) Result {
	finding := newFinding("L06", crd, version)
	finding.Message = fmt.Sprintf("Not all stored objects were checked: %s.", why)
	return Result{Findings: append(findings, finding), Version: version, Checked: checked}
}
