// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"fmt"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/util/text"
)

// delete decides about the deletion of a CRD, which deletes all its objects.
func (g *Guard) delete(ctx context.Context, user authenticationv1.UserInfo, stored *apiextensionsv1.CustomResourceDefinition) Answer {
	policy, notice := policyOf(&stored.ObjectMeta, g.options.Policy)
	switch {
	case policy == Off:
		return answered(OperationDelete, stored, Unguarded)
	case stored.DeletionTimestamp != nil, !established(stored):
		// A CRD that is being deleted cannot be kept. A kind that was never served has no objects that
		// the API server could delete.
		return answered(OperationDelete, stored, Allowed)
	}
	var warnings []string
	if notice != "" {
		warnings = append(warnings, notice)
	}
	holds := g.holds(ctx, user, stored)
	if holds.known && holds.none {
		return answered(OperationDelete, stored, Allowed, warnings...)
	}
	answer := decideDelete(policy, stored, holds, warnings)
	answer.Verdict = rules.Destructive
	return answer
}

func decideDelete(policy Policy, stored *apiextensionsv1.CustomResourceDefinition, holds holdings, warnings []string) Answer {
	allowed := stored.Annotations[AllowDeleteAnnotation]
	switch {
	case allowed != "" && allowed == string(stored.UID):
		return answered(OperationDelete, stored, AllowedOnce, append(warnings, fmt.Sprintf("%s; annotation %s allows the deletion", holds.what,
			AllowDeleteAnnotation))...)
	case policy == Warn:
		return answered(OperationDelete, stored, Warned, append(warnings, holds.what)...)
	}
	decision := Denied
	if !holds.known {
		decision = CannotTell
	}
	r := refusal{
		what: fmt.Sprintf("deletion of CustomResourceDefinition %s is rejected because it deletes every object of the kind",
			stored.Name),
		causes:     []metav1.StatusCause{{Type: metav1.CauseTypeForbidden, Field: "metadata.deletionTimestamp", Message: full(holds.what)}},
		annotation: AllowDeleteAnnotation,
		wayOut:     "to allow the deletion of the CRD and all its objects, run: " + annotate(stored, AllowDeleteAnnotation, string(stored.UID)),
	}
	if allowed != "" {
		note := fmt.Sprintf("annotation %s is for a CRD with another UID (%s)", AllowDeleteAnnotation, text.Line(allowed, 60))
		r.notes, warnings = append(r.notes, note), append(warnings, note)
	}
	answer := answered(OperationDelete, stored, decision, warnings...)
	answer.Response.Allowed, answer.Response.Result = false, r.status(stored)
	return answer
}

// holdings describes the stored objects of a CRD.
type holdings struct {
	// known is set if the result is known, none if there are no objects.
	known, none bool
	// what is the result as a sentence without a full stop.
	what string
}

// holds returns the stored objects of a CRD: exact if the server may list them, otherwise according to the
// object counts of the cluster, which may be out of date.
func (g *Guard) holds(ctx context.Context, user authenticationv1.UserInfo, stored *apiextensionsv1.CustomResourceDefinition) holdings {
	resource := resourceOf(stored)
	ctx, cancel := context.WithTimeout(ctx, g.budget(ctx))
	defer cancel()
	unlisted := "listing stored objects is disabled"
	if g.options.Objects != nil {
		// Half of the time is reserved for the object counts.
		listed := g.find(ctx, stored, g.budget(ctx)/2)
		switch {
		case listed.err == nil && listed.first == "":
			return holdings{known: true, none: true}
		case listed.err == nil:
			return holdings{known: true, what: holding(resource.String(), listed, g.unnamed(ctx, user, stored))}
		case listed.forbidden:
			unlisted = fmt.Sprintf("this server has no permission to list %s (ClusterRole %s grants it)", resource, LiveRole)
		case g.unnamed(ctx, user, stored) != "":
			// The error of a conversion webhook may contain the name of an object.
			unlisted = fmt.Sprintf("%s could not be listed", resource)
		default:
			unlisted = listed.err.Error()
		}
	}
	if g.options.Counts == nil {
		return holdings{what: fmt.Sprintf("cannot determine whether %s exist: %s", resource, unlisted)}
	}
	count, err := g.options.Counts.Count(ctx, resource)
	switch {
	case err != nil:
		return holdings{what: fmt.Sprintf("cannot determine whether %s exist: %s, and %v", resource, unlisted, err)}
	case count.Objects == 0:
		return holdings{known: true, none: true}
	}
	return holdings{known: true, what: fmt.Sprintf("%d %s existed when the cluster last counted them, up to %s ago", count.Objects,
		resource, count.Age.Round(time.Second))}
}

// holding returns a sentence about the existing objects. unnamed is the reason why none is named, if any.
func holding(resource string, listed found, unnamed string) string {
	count, first := resource+" exist", ", the first one is "+listed.first
	switch {
	case listed.more > 0:
		count = fmt.Sprintf("%d %s exist", listed.more+1, resource)
	case listed.more == 0:
		count, first = "1 object exists of "+resource, ": "+listed.first
	}
	if unnamed != "" {
		first = "; " + unnamed
	}
	return count + first
}

// established reports whether the kind is or was served. Established never becomes false again.
func established(definition *apiextensionsv1.CustomResourceDefinition) bool {
	return slices.ContainsFunc(definition.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
}
