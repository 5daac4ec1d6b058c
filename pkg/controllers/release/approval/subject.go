// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	crdschemas "roadstead.dev/roadstead/pkg/controllers/release/schemas"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// subjects reads what Approvals are about without the cache, which contains only metadata.
type subjects struct {
	live client.Reader
	// follow records what an Approval depends on in addition to its subject.
	follow *baselines
}

// changed describes what changed in the subject of an Approval since the approval was requested. It
// is empty if nothing changed.
func (s subjects) changed(ctx context.Context, approval *v1alpha1.Approval) (string, error) {
	subject := approval.Spec.Subject
	schema := &v1alpha1.CRDSchema{}
	err := s.live.Get(ctx, client.ObjectKey{Name: subject.Name}, schema)
	switch {
	case base.IsAbsent(err):
		return fmt.Sprintf("%s %s is gone", subject.Kind, subject.Name), nil
	case err != nil:
		return "", err
	case string(schema.UID) != subject.UID:
		return fmt.Sprintf("%s %s was deleted and made anew", subject.Kind, subject.Name), nil
	case schema.DeletionTimestamp != nil:
		return fmt.Sprintf("%s %s is being deleted", subject.Kind, subject.Name), nil
	}
	if against := schema.Status.Against; against != nil {
		s.follow.set(approval.Name, against.Name)
	}
	return s.unlike(ctx, schema, approval)
}

// drifted returns why the change of a CRDSchema no longer has the digest, or "" if it does.
func (s subjects) drifted(ctx context.Context, schema *v1alpha1.CRDSchema, digest string) (string, error) {
	if digestOf(schema) != digest {
		return fmt.Sprintf("CRDSchema %s now stands for another change", schema.Name), nil
	}
	against := schema.Status.Against
	if against == nil {
		return "", nil // the digest is that of the manifest, which is immutable
	}
	baseline := crdschemas.Metadata()
	err := s.live.Get(ctx, client.ObjectKey{Name: against.Name}, baseline)
	switch {
	case base.IsAbsent(err):
		return fmt.Sprintf("CRDSchema %s, which it was compared with, is gone", against.Name), nil
	case err != nil:
		return "", err
	case string(baseline.UID) == against.UID:
		return "", nil // manifests are immutable
	}
	again := &v1alpha1.CRDSchema{}
	if err := s.live.Get(ctx, client.ObjectKey{Name: against.Name}, again); err != nil {
		return "", err
	}
	now, err := crdpolicy.ChangeDigest(new(storedOf(again)), storedOf(schema))
	if err != nil {
		return "", err
	}
	if now != digest {
		return fmt.Sprintf("CRDSchema %s, which it was compared with, was made anew with another definition", against.Name), nil
	}
	return "", nil
}

// digestOf returns the digest that an Approval of a CRDSchema is bound to: that of the change from
// the baseline, or that of the manifest alone if there is no known baseline.
func digestOf(schema *v1alpha1.CRDSchema) string {
	if against := schema.Status.Against; against != nil {
		return against.Change
	}
	return schema.Status.Digest
}

func storedOf(schema *v1alpha1.CRDSchema) crdpolicy.Stored {
	return crdpolicy.Stored{Name: schema.Name, Definition: schema.Spec.Definition.Raw}
}

// baselines finds the Approvals whose subject was compared with a CRDSchema. An Approval is added
// when it is first reconciled.
type baselines struct {
	mu sync.Mutex
	of map[string]string
}

func newBaselines() *baselines { return &baselines{of: map[string]string{}} }

func (b *baselines) set(approval, schema string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of[approval] = schema
}

func (b *baselines) forget(approval string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.of, approval)
}

// approvals returns the sorted names of the Approvals that depend on a CRDSchema.
func (b *baselines) approvals(schema string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var names []string
	for approval, baseline := range b.of {
		if baseline == schema {
			names = append(names, approval)
		}
	}
	slices.Sort(names)
	return names
}
