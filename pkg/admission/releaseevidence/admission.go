// SPDX-License-Identifier: Apache-2.0

// Package releaseevidence requires the verb bypass on approvals for requests that would let a
// breaking change pass without an approval: versions whose CRDs come from users instead of a chart,
// a weaker policy of an Operator, and the deletion of the CRDSchemas that later versions are
// compared with. Users that may request approvals must not have that verb.
package releaseevidence

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/admission/initializer"
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// PluginName is the plugin's name in flags.
const PluginName = "ReleaseEvidence"

// Verb is the verb that RBAC must grant on approvals.
const Verb = "bypass"

// Plugin is the admission plugin.
type Plugin struct {
	*admission.Handler
	authorizer     authorizer.Authorizer
	objects        *lookup.Objects
	controllerUser string
}

var (
	_ admission.ValidationInterface       = &Plugin{}
	_ initializer.WantsObjects            = &Plugin{}
	_ initializer.WantsUncachedAuthorizer = &Plugin{}
	_ initializer.WantsControllerUser     = &Plugin{}
)

// New returns the plugin without its authorizer, its reader of objects and the controller's user.
func New() *Plugin {
	return &Plugin{Handler: admission.NewHandler(admission.Create, admission.Update, admission.Delete)}
}

// SetObjects sets the reader of stored objects.
func (p *Plugin) SetObjects(objects initializer.Objects) { p.objects = lookup.From(objects) }

// SetUncachedAuthorizer sets the authorizer. It has no cache, so that a revoked right bypasses
// nothing.
func (p *Plugin) SetUncachedAuthorizer(a authorizer.Authorizer) { p.authorizer = a }

// SetControllerUser sets the name of the controller's user, which deletes versions beyond the
// history limit.
func (p *Plugin) SetControllerUser(name string) { p.controllerUser = name }

// ValidateInitialization returns an error if something is missing.
func (p *Plugin) ValidateInitialization() error {
	if p.authorizer == nil || p.objects == nil || p.controllerUser == "" {
		return errors.New(PluginName + ": the authorizer, the reader of stored objects or the name of the controller's user is not set")
	}
	return nil
}

// Validate requires the verb for a request that bypasses approvals, also for a dry run.
func (p *Plugin) Validate(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	if a.GetResource().Group != release.GroupName || a.GetSubresource() != "" {
		return nil
	}
	why, err := p.bypasses(ctx, a)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to read the objects that a deletion depends on",
			"resource", a.GetResource().Resource, "name", a.GetName())
		return apierrors.NewServiceUnavailable("cannot determine whether the request needs the verb " + Verb + " on approvals; try again")
	}
	if why == "" {
		return nil
	}
	decision, _, err := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: a.GetUserInfo(), Verb: Verb, APIGroup: release.GroupName, APIVersion: a.GetResource().Version,
		Resource: "approvals", ResourceRequest: true,
	})
	switch {
	case err != nil:
		return admission.NewForbidden(a, fmt.Errorf("%s: cannot determine whether you may do this; try again: %w", why, err))
	case decision != authorizer.DecisionAllow:
		return admission.NewForbidden(a, fmt.Errorf("%s. This needs the RBAC verb %q on approvals.%s, which allows changes "+
			"without an approval. An administrator can grant it", why, Verb, release.GroupName))
	}
	return nil
}

// bypasses returns how a request bypasses approvals; empty if it does not.
func (p *Plugin) bypasses(ctx context.Context, a admission.Attributes) (string, error) {
	if a.GetOperation() == admission.Delete {
		if a.GetUserInfo().GetName() == p.controllerUser {
			return "", nil
		}
		return p.deletes(ctx, a.GetOldObject())
	}
	return weakens(a.GetObject(), a.GetOldObject()), nil
}

// strictness orders the policies; an unknown policy counts as the strictest, as in the comparison.
func strictness(policy release.BreakingPolicy) int {
	switch policy {
	case release.BreakingWarn:
		return 0
	case release.BreakingRequireApproval, "":
		return 1
	}
	return 2
}

// weakens returns how a new or changed object is less strict about breaking changes than the old
// one, which is nil on create; empty if it is not.
func weakens(object, old runtime.Object) string {
	switch object := object.(type) {
	case *release.OperatorVersion:
		if old == nil && object.Spec.CRDSource == release.CRDSourceManual {
			return "spec.crdSource: with Manual, users supply the CRDs of the version instead of its chart"
		}
	case *release.Operator:
		before := strictness(release.BreakingRequireApproval)
		if stored, ok := old.(*release.Operator); ok {
			before = strictness(stored.Spec.CRDPolicy.Breaking)
		}
		if strictness(object.Spec.CRDPolicy.Breaking) < before {
			return fmt.Sprintf("spec.crdPolicy.breaking: %s is less strict about breaking changes", object.Spec.CRDPolicy.Breaking)
		}
	}
	return ""
}
