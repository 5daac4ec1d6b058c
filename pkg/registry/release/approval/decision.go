// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/release/validation"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// verbApprove is the verb that users need on approvals, in addition to create on approvals/approve
// or approvals/reject.
const verbApprove = "approve"

// Audit annotations of a decision.
const (
	auditDecision = v1alpha1.GroupName + "/decision"
	auditDigest   = v1alpha1.GroupName + "/digest"
)

// DecisionREST is the subresource approve or reject: a create whose body is an ApprovalDecision.
type DecisionREST struct {
	store   *registry.Store
	outcome release.ApprovalOutcome
	options Options
	objects *lookup.Objects
}

var (
	_ rest.NamedCreater             = &DecisionREST{}
	_ rest.GroupVersionKindProvider = &DecisionREST{}
)

// Options determine which users may create and decide Approvals.
type Options struct {
	// Authorizer decides whether a user may approve. It must not have a cache, because a decision
	// cannot be revoked.
	Authorizer authorizer.Authorizer
	// ControllerUser is the only user that creates Approvals.
	ControllerUser string
	// SelfApproval lets users approve what they requested.
	SelfApproval bool
	// Clock determines when an Approval is expired.
	Clock clock.PassiveClock
}

// New returns an empty body.
func (r *DecisionREST) New() runtime.Object { return &release.ApprovalDecision{} }

// Destroy does nothing: the store belongs to the main resource.
func (r *DecisionREST) Destroy() {}

// GroupVersionKind returns the kind of the request and the response.
func (r *DecisionREST) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return v1alpha1.SchemeGroupVersion.WithKind("ApprovalDecision")
}

// Create records the decision of the caller about an Approval, and returns it.
func (r *DecisionREST) Create(ctx context.Context, name string, obj runtime.Object, validate rest.ValidateObjectFunc,
	options *metav1.CreateOptions) (runtime.Object, error) {
	body, ok := obj.(*release.ApprovalDecision)
	if !ok {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the body must be an ApprovalDecision, not a %T", obj))
	}
	if body.Name != "" && body.Name != name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("metadata.name of the ApprovalDecision is %q, but the request is for Approval %q",
			body.Name, name))
	}
	caller, ok := request.UserFrom(ctx)
	if !ok || caller.GetName() == "" || caller.GetName() == user.Anonymous {
		return nil, r.forbidden(name, "an anonymous user cannot decide; log in")
	}
	if errs := validation.ValidateApprovalDecision(body, r.outcome == release.OutcomeRejected); len(errs) > 0 {
		return nil, apierrors.NewInvalid(release.Kind("ApprovalDecision"), name, errs)
	}
	if validate != nil {
		if err := validate(ctx, body.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	if err := r.mayDecide(ctx, name, caller); err != nil {
		return nil, err
	}
	decided, err := r.record(ctx, name, caller, body.Reason, options)
	if err != nil {
		return nil, err
	}
	r.tell(ctx, decided, caller, body.Reason, dryrun.IsDryRun(options.DryRun))
	body.ObjectMeta = metav1.ObjectMeta{Name: decided.Name, UID: decided.UID, ResourceVersion: decided.ResourceVersion,
		CreationTimestamp: decided.CreationTimestamp}
	return body, nil
}

// mayDecide requires the verb approve. The user that requested the change may reject it without the
// verb.
func (r *DecisionREST) mayDecide(ctx context.Context, name string, caller user.Info) error {
	if r.outcome == release.OutcomeRejected {
		found, err := r.store.Get(ctx, name, &metav1.GetOptions{})
		if err != nil {
			return err
		}
		if found.(*release.Approval).Spec.RequestedBy == caller.GetName() {
			return nil
		}
	}
	decision, reason, err := r.options.Authorizer.Authorize(ctx, authorizer.AttributesRecord{
		User: caller, Verb: verbApprove, APIGroup: v1alpha1.GroupName, APIVersion: v1alpha1.SchemeGroupVersion.Version,
		Resource: "approvals", Name: name, ResourceRequest: true,
	})
	if err != nil {
		klog.FromContext(ctx).Error(err, "Failed to check whether the user may approve", "approval", name, "user", caller.GetName())
	}
	if decision == authorizer.DecisionAllow {
		return nil
	}
	text := fmt.Sprintf("%s needs the verb %q on approvals.%s", caller.GetName(), verbApprove, v1alpha1.GroupName)
	if reason != "" {
		text += " (" + reason + ")"
	}
	return r.forbidden(name, text)
}

func (r *DecisionREST) forbidden(name, text string) error {
	resource := "approvals/approve"
	if r.outcome == release.OutcomeRejected {
		resource = "approvals/reject"
	}
	return apierrors.NewForbidden(release.Resource(resource), name, fmt.Errorf("%s", text))
}

// record stores the decision of the caller, unless the stored Approval or its subject does not
// allow it.
func (r *DecisionREST) record(ctx context.Context, name string, caller user.Info, reason string,
	options *metav1.CreateOptions) (*release.Approval, error) {
	update := rest.DefaultUpdatedObjectInfo(nil, func(ctx context.Context, _, stored runtime.Object) (runtime.Object, error) {
		approval := stored.DeepCopyObject().(*release.Approval)
		if approval.ResourceVersion == "" {
			return nil, apierrors.NewNotFound(release.Resource("approvals"), name)
		}
		err := decide(approval, word{
			user: caller.GetName(), outcome: r.outcome, reason: reason, at: r.options.Clock.Now(), ownRequest: r.options.SelfApproval,
		})
		if err != nil {
			return nil, err
		}
		// A rejection does not require an unchanged subject: an Approval of an outdated change is
		// best closed.
		if r.outcome == release.OutcomeApproved {
			schema, err := unchanged(ctx, r.objects, approval)
			if err != nil {
				return nil, err
			}
			if err := r.disinterested(ctx, name, caller, schema); err != nil {
				return nil, err
			}
		}
		return approval, nil
	})
	// For the store this is a change of the status. Admission has validated the ApprovalDecision of
	// the request, so it does not validate the Approval.
	changed, _, err := r.store.Update(asStatus(ctx), name, update, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false,
		&metav1.UpdateOptions{DryRun: options.DryRun})
	if err != nil {
		return nil, err
	}
	return changed.(*release.Approval), nil
}

// disinterested refuses a user that contributed to the change, also if another user requested it.
func (r *DecisionREST) disinterested(ctx context.Context, name string, caller user.Info, schema *release.CRDSchema) error {
	if r.options.SelfApproval {
		return nil
	}
	led, err := origins(ctx, r.objects, schema)
	if err != nil {
		return err
	}
	if stake := led.stake(caller.GetName()); stake != "" {
		return r.forbidden(name, fmt.Sprintf("%s %s, so another user must approve it", caller.GetName(), stake))
	}
	return nil
}

// asStatus returns the context of the same request to the subresource status, because declarative
// validation of the object has no subresource approve.
func asStatus(ctx context.Context) context.Context {
	info, ok := request.RequestInfoFrom(ctx)
	if !ok {
		return ctx
	}
	status := *info
	status.Subresource = "status"
	return request.WithRequestInfo(ctx, &status)
}

// tell writes the decision to the audit log and the log of the server, because the object can be
// deleted.
func (r *DecisionREST) tell(ctx context.Context, approval *release.Approval, caller user.Info, reason string, dry bool) {
	if dry {
		return
	}
	subject := approval.Spec.Subject
	audit.AddAuditAnnotations(ctx, auditDecision, string(r.outcome), auditDigest, subject.Digest)
	klog.FromContext(ctx).Info("Approval decided", "approval", approval.Name, "outcome", r.outcome, "decision", approval.Status.Decision,
		"user", caller.GetName(), "reason", reason, "level", fmt.Sprint(level(approval)), "requestedBy", approval.Spec.RequestedBy,
		"subject", subject.Kind+"/"+subject.Name, "subjectUID", subject.UID, "digest", subject.Digest)
}
