// SPDX-License-Identifier: Apache-2.0

// Package schemas reads CRDSchemas for controllers. They may total gigabytes. Therefore the cache
// contains only their metadata, each CRDSchema is read individually when it changed, and only the
// facts that decisions need are kept.
package schemas

import (
	"cmp"
	"context"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// ByVersion is an index of CRDSchemas by the OperatorVersions that they may belong to according to
// their name.
const ByVersion = "metadata.name.mayBeginWith"

// Metadata returns an empty object that causes the cache to store CRDSchemas without their content.
func Metadata() *metav1.PartialObjectMetadata {
	return base.Metadata(v1alpha1.SchemeGroupVersion.WithKind("CRDSchema"))
}

// MetadataList returns a list of objects of Metadata.
func MetadataList() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("CRDSchemaList"))
	return list
}

// NameOf returns the name of the CRDSchema of a CRD that an OperatorVersion contains.
func NameOf(operatorVersion, definition string) string {
	return release.CRDSchemaName(operatorVersion, definition)
}

// VersionCandidates returns the names of OperatorVersions that a CRDSchema of this name may belong
// to. There may be several, because the names of both contain dots.
func VersionCandidates(object client.Object) []string {
	var candidates []string
	name := object.GetName()
	for i, char := range name {
		if char == '.' && i > 0 {
			candidates = append(candidates, name[:i])
		}
	}
	return candidates
}

// Summary contains the facts about a CRDSchema that decisions need. It must not be modified.
type Summary struct {
	Name     string
	UID      types.UID
	Deleting bool
	// CreatedBy is the user who created it. The API server sets it, and it is immutable.
	CreatedBy string
	// Owner and OwnerName are the UID and the name in its controller reference, empty if there is
	// none. Any user with permission to update the CRDSchema can change both.
	Owner     types.UID
	OwnerName string
	// OperatorVersion is the name in its spec, empty if there is none.
	OperatorVersion string
	// Kind is the kind of the CRD, and Origin describes how the chart renders it. Both are empty if
	// they are not known.
	Kind   string
	Origin Origin
	// AgainstRef is the name in its spec, Against the one in its status.
	AgainstRef, Against string
	// Observed is set if the API server has compared it.
	Observed      bool
	CRD, Digest   string
	Compatibility v1alpha1.Compatibility
	Approval      v1alpha1.ApprovalState
	// Reason and Message are those of its condition Ready.
	Reason, Message string
	Findings        []v1alpha1.Finding
	TotalFindings   int32
}

// Reader reads CRDSchemas. It is safe for concurrent use.
type Reader struct {
	cached, live client.Reader

	mu    sync.Mutex
	known map[string]known
}

type known struct {
	uid      types.UID
	revision string
	summary  *Summary
}

// NewReader returns a Reader. cached must serve metadata of CRDSchemas (see Metadata) with the index ByVersion, live their
// content.
func NewReader(cached, live client.Reader) *Reader {
	return &Reader{cached: cached, live: live, known: map[string]known{}}
}

// Of returns the CRDSchemas of an OperatorVersion, sorted by name. CRDSchemas of the given CRDs
// that are not in the cache are read from the API server, because they may just have been created.
// They are returned even if their spec does not name the OperatorVersion.
func (r *Reader) Of(ctx context.Context, operatorVersion string, definitions ...string) ([]*Summary, error) {
	all := func(*metav1.PartialObjectMetadata) bool { return true }
	found, err := r.Select(ctx, all, client.MatchingFields{ByVersion: operatorVersion})
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, definition := range definitions {
		name := NameOf(operatorVersion, definition)
		wanted[name] = true
		if slices.ContainsFunc(found, func(one *Summary) bool { return one.Name == name }) {
			continue
		}
		one, err := r.fetch(ctx, name)
		if err != nil {
			return nil, err
		}
		if one != nil {
			found = append(found, one)
		}
	}
	found = slices.DeleteFunc(found, func(one *Summary) bool { return one.OperatorVersion != operatorVersion && !wanted[one.Name] })
	slices.SortFunc(found, func(a, b *Summary) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// Select returns the CRDSchemas for whose metadata wanted returns true, sorted by name.
func (r *Reader) Select(ctx context.Context, wanted func(*metav1.PartialObjectMetadata) bool, options ...client.ListOption) ([]*Summary,
	error) {
	list := MetadataList()
	if err := r.cached.List(ctx, list, options...); err != nil {
		return nil, err
	}
	var found []*Summary
	for i := range list.Items {
		if !wanted(&list.Items[i]) {
			continue
		}
		summary, err := r.get(ctx, &list.Items[i])
		if err != nil {
			return nil, err
		}
		if summary != nil {
			found = append(found, summary)
		}
	}
	slices.SortFunc(found, func(a, b *Summary) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

// get reads a CRDSchema unless it did not change since it was last read. It returns nil if the
// CRDSchema no longer exists.
func (r *Reader) get(ctx context.Context, metadata *metav1.PartialObjectMetadata) (*Summary, error) {
	r.mu.Lock()
	before, ok := r.known[metadata.Name]
	r.mu.Unlock()
	if ok && before.uid == metadata.UID && before.revision == metadata.ResourceVersion {
		return before.summary, nil
	}
	return r.fetch(ctx, metadata.Name)
}

// fetch reads a CRDSchema without the cache. It returns nil if it does not exist.
func (r *Reader) fetch(ctx context.Context, name string) (*Summary, error) {
	schema := &v1alpha1.CRDSchema{}
	if err := r.live.Get(ctx, types.NamespacedName{Name: name}, schema); err != nil {
		if apierrors.IsNotFound(err) {
			r.Forget(name)
			return nil, nil
		}
		return nil, err
	}
	now := known{uid: schema.UID, revision: schema.ResourceVersion, summary: Summarise(schema)}
	r.mu.Lock()
	r.known[name] = now
	r.mu.Unlock()
	return now.summary, nil
}

// Forget removes the facts about a CRDSchema that no longer exists.
func (r *Reader) Forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, name)
}

// Summarise returns the facts about a CRDSchema that decisions need.
func Summarise(schema *v1alpha1.CRDSchema) *Summary {
	found := &Summary{
		Name: schema.Name, UID: schema.UID, Deleting: schema.DeletionTimestamp != nil, CreatedBy: schema.Status.CreatedBy,
		Observed: schema.Status.Digest != "", CRD: schema.Status.CRD, Digest: schema.Status.Digest,
		Compatibility: schema.Status.Compatibility, Approval: schema.Status.Approval,
		Findings: schema.Status.Findings, TotalFindings: schema.Status.TotalFindings,
	}
	if owner := metav1.GetControllerOf(schema); owner != nil {
		found.Owner, found.OwnerName = owner.UID, owner.Name
	}
	if ref := schema.Spec.OperatorVersionRef; ref != nil {
		found.OperatorVersion = ref.Name
	}
	if ref := schema.Spec.AgainstRef; ref != nil {
		found.AgainstRef = ref.Name
	}
	if schema.Status.Against != nil {
		found.Against = schema.Status.Against.Name
	}
	found.Kind, found.Origin = inside(schema.Spec.Definition.Raw)
	for i := range schema.Status.Conditions {
		if condition := &schema.Status.Conditions[i]; condition.Type == v1alpha1.ConditionReady {
			found.Reason, found.Message = condition.Reason, condition.Message
		}
	}
	return found
}
