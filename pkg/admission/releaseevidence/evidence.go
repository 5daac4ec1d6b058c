// SPDX-License-Identifier: Apache-2.0

package releaseevidence

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/evidence"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// deletes returns which evidence the deletion of an object removes; empty if it removes none. The
// owner of an object is read from its spec, because users can write owner references, and the
// garbage collector follows them. An object without its owner is no longer evidence, so the garbage
// collector can delete it.
func (p *Plugin) deletes(ctx context.Context, object runtime.Object) (string, error) {
	switch object := object.(type) {
	case *release.CRDSchema:
		if object.DeletionTimestamp != nil || object.Spec.OperatorVersionRef == nil {
			return "", nil
		}
		version, err := p.objects.OperatorVersion(ctx, object.Spec.OperatorVersionRef.Name)
		if err != nil || !p.proves(object, version) {
			return "", err
		}
		return fmt.Sprintf("later versions are compared with CRDSchema %s as long as OperatorVersion %s exists", object.Name, version.Name), nil
	case *release.OperatorVersion:
		if object.DeletionTimestamp != nil {
			return "", nil
		}
		operator, err := p.objects.Operator(ctx, object.Spec.OperatorRef.Name)
		if err != nil || operator == nil || operator.DeletionTimestamp != nil {
			return "", err
		}
		return p.ofVersion(ctx, object)
	case *release.Operator:
		if object.DeletionTimestamp != nil {
			return "", nil
		}
		return p.ofOperator(ctx, object)
	}
	return "", nil
}

// proves reports whether a CRDSchema is what later versions are compared with. One that is older than its OperatorVersion, whose
// CRDs come from the chart, belonged to a deleted version of the same name, and the controller waits until it is collected.
func (p *Plugin) proves(schema *release.CRDSchema, version *release.OperatorVersion) bool {
	if version == nil {
		return false
	}
	known := evidence.Version(version)
	predecessor := !known.Manual && schema.CreationTimestamp.Before(&version.CreationTimestamp)
	return !known.Deleting && !predecessor && known.Standing(schema.Status.CRD, evidence.Of(schema), p.controllerUser) == crdpolicy.Trusted
}

// ofVersion returns which evidence an OperatorVersion has. A CRDSchema that was lost counts,
// because the status of the OperatorVersion is the only record of it.
func (p *Plugin) ofVersion(ctx context.Context, version *release.OperatorVersion) (string, error) {
	known := evidence.Version(version)
	for _, crd := range version.Status.CRDs {
		name := release.CRDSchemaName(version.Name, crd.Name)
		schema, err := p.objects.CRDSchema(ctx, name)
		if err != nil {
			return "", err
		}
		if known.Standing(crd.Name, evidence.Of(schema), p.controllerUser) != crdpolicy.None {
			return fmt.Sprintf("later versions are compared with CRDSchema %s of OperatorVersion %s", name, version.Name), nil
		}
	}
	return "", nil
}

// ofOperator returns which evidence the versions of an Operator have.
func (p *Plugin) ofOperator(ctx context.Context, operator *release.Operator) (string, error) {
	versions, err := p.objects.Versions(ctx)
	if err != nil {
		return "", err
	}
	for i := range versions {
		if versions[i].Spec.OperatorRef.Name != operator.Name || versions[i].DeletionTimestamp != nil {
			continue
		}
		if found, err := p.ofVersion(ctx, &versions[i]); err != nil || found != "" {
			return found, err
		}
	}
	return "", nil
}
