// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// origin is a CRDSchema with its OperatorVersion and Operator, which are nil if they are not named
// or do not exist.
type origin struct {
	schema   *release.CRDSchema
	version  *release.OperatorVersion
	operator *release.Operator
}

// origins reads the OperatorVersion and the Operator of a CRDSchema.
func origins(ctx context.Context, objects *lookup.Objects, schema *release.CRDSchema) (origin, error) {
	found := origin{schema: schema}
	ref := schema.Spec.OperatorVersionRef
	if ref == nil {
		return found, nil
	}
	var err error
	if found.version, err = objects.OperatorVersion(ctx, ref.Name); err != nil || found.version == nil {
		return found, err
	}
	found.operator, err = objects.Operator(ctx, found.version.Spec.OperatorRef.Name)
	return found, err
}

// requester returns the user that requested the change, as the server recorded it in the CRDSchema.
// A CRDSchema that an earlier release stored has no such record: then it is the user that created
// the OperatorVersion or the CRDSchema, or last changed the Operator. It is never the controller,
// which acts only on requests of users; empty if it is unknown.
func (o origin) requester(controllerUser string) string {
	users := []string{o.schema.Status.RequestedBy}
	if o.version != nil {
		users = append(users, o.version.Status.RequestedBy, o.version.Status.CreatedBy)
	}
	users = append(users, o.schema.Status.CreatedBy)
	if o.operator != nil {
		users = append(users, o.operator.Status.ChangedBy)
	}
	for _, user := range users {
		if user != "" && user != controllerUser {
			return user
		}
	}
	return ""
}

// unknownRequester returns an error text with the actions if there is no requester.
func (o origin) unknownRequester() string {
	const unknown = "the user that requested the change is unknown, because an earlier release stored the objects"
	if o.operator == nil {
		return unknown + ", and its OperatorVersion or Operator no longer exists: delete the CRDSchema, or create both again"
	}
	return fmt.Sprintf("%s: change a field in the spec of Operator %s, such as spec.versionHistoryLimit; the user that changes it "+
		"becomes the requester", unknown, o.operator.Name)
}

// stake returns how a user contributed to a change, for a message; empty if the user did not. A
// user that contributed cannot approve the change.
func (o origin) stake(user string) string {
	switch {
	case o.schema.Status.CreatedBy == user:
		return "created CRDSchema " + o.schema.Name
	case o.schema.Status.RequestedBy == user:
		return "requested CRDSchema " + o.schema.Name
	case o.version != nil && o.version.Status.CreatedBy == user:
		return "created OperatorVersion " + o.version.Name
	case o.version != nil && o.version.Status.RequestedBy == user:
		return "requested OperatorVersion " + o.version.Name
	case o.operator != nil && o.operator.Status.ChangedBy == user:
		return "last changed Operator " + o.operator.Name
	}
	return ""
}
