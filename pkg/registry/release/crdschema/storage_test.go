// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/generic/storetest"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// others are the objects of other kinds, by name.
type others map[string]runtime.Object

func (o others) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if found, there := o[name]; there {
		return found, nil
	}
	return nil, apierrors.NewNotFound(release.Resource("others"), name)
}

type away struct{}

func (away) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return nil, apierrors.NewServiceUnavailable("etcd is away")
}

type store struct {
	t       *testing.T
	main    *REST
	status  *generic.StatusREST
	objects *lookup.Objects
}

// newStore returns a store with an Operator that has a policy, and with versions of the Operator.
func newStore(t *testing.T, policy release.BreakingPolicy, versions ...string) *store {
	t.Helper()
	all := others{}
	for _, version := range versions {
		all[release.OperatorVersionName("op", version)] = versionOf(version)
	}
	objects := &lookup.Objects{Operators: others{"op": operatorWith(policy)}, OperatorVersions: all}
	objects.Versions = func(context.Context) (found []release.OperatorVersion, err error) {
		for _, version := range all {
			found = append(found, *version.(*release.OperatorVersion))
		}
		return found, nil
	}
	main, status, err := NewREST(newScheme(), storetest.New(t, newScheme(), v1alpha1.SchemeGroupVersion), objects, controller)
	require.NoError(t, err)
	t.Cleanup(main.Destroy)
	storetest.Ready(t, main)
	objects.CRDSchemas = main
	return &store{t: t, main: main, status: status, objects: objects}
}

func (s *store) create(schema *release.CRDSchema, dry ...string) (*release.CRDSchema, error) {
	return s.by("ann", schema, dry...)
}

// apply creates or changes a CRDSchema as server-side apply does.
func (s *store) apply(schema *release.CRDSchema) (*release.CRDSchema, error) {
	made, _, err := s.main.Update(as(s.t, "bob"), schema.Name, rest.DefaultUpdatedObjectInfo(schema), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, true, &metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	return made.(*release.CRDSchema), nil
}

func TestJudge_CreateAndApply(t *testing.T) {
	s := newStore(t, release.BreakingRequireApproval, "1.0.0", "1.1.0", "1.2.0")
	forged := schemaOf("1.0.0", widgets(t, 5))
	forged.Status = release.CRDSchemaStatus{CreatedBy: "forged", Approval: release.ApprovalApproved, Compatibility: "S"}
	first, err := s.create(forged)
	require.NoError(t, err)
	require.Equal(t, "ann", first.Status.CreatedBy)
	require.Equal(t, release.ApprovalNotRequired, first.Status.Approval)
	require.EqualValues(t, 1, first.Status.ObservedGeneration)
	require.EqualValues(t, 1, first.Status.Conditions[0].ObservedGeneration)
	require.Equal(t, "NothingToCompare", first.Status.Conditions[0].Reason)
	require.Empty(t, first.Status.Compatibility)

	for name, make := range map[string]func(*release.CRDSchema) (*release.CRDSchema, error){
		"create": func(schema *release.CRDSchema) (*release.CRDSchema, error) { return s.create(schema) }, "apply": s.apply,
		"dry run": func(schema *release.CRDSchema) (*release.CRDSchema, error) { return s.create(schema, metav1.DryRunAll) },
	} {
		_, err = make(schemaOf("1.1.0", widgets(t, 4)))
		require.True(t, apierrors.IsInvalid(err), "%s: %v", name, err)
		require.ErrorContains(t, err, "spec.definition[v1].spec.size", name)
	}
	waiting := asking(schemaOf("1.1.0", widgets(t, 4)))
	dry, err := s.create(waiting.DeepCopy(), metav1.DryRunAll)
	require.NoError(t, err)
	require.Equal(t, release.ApprovalPending, dry.Status.Approval)
	_, err = s.main.Get(as(t, "ann"), waiting.Name, &metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "a dry run stores nothing")

	applied, err := s.apply(waiting)
	require.NoError(t, err)
	require.Equal(t, "bob", applied.Status.CreatedBy)
	require.Equal(t, release.ApprovalPending, applied.Status.Approval)
	require.Equal(t, first.Name, applied.Status.Against.Name)
	require.Equal(t, string(first.UID), applied.Status.Against.UID)

	next, err := s.create(schemaOf("1.2.0", widgets(t, 5)))
	require.NoError(t, err)
	require.Equal(t, first.Name, next.Status.Against.Name, "what is not approved is passed over")
}

func TestWhatIsStoredNeverChanges(t *testing.T) {
	s := newStore(t, release.BreakingDeny, "1.0.0")
	made, err := s.create(schemaOf("1.0.0", widgets(t, 5)))
	require.NoError(t, err)

	same := made.DeepCopy()
	same.Spec.Definition.Raw = append([]byte(" "), same.Spec.Definition.Raw...)
	again, err := s.apply(same)
	require.NoError(t, err)
	require.Equal(t, made.ResourceVersion, again.ResourceVersion, "spelt in another way")

	other := made.DeepCopy()
	other.Spec.Definition = widgets(t, 6)
	_, err = s.apply(other)
	require.True(t, apierrors.IsInvalid(err))
	require.ErrorContains(t, err, "spec.definition: Invalid value: field is immutable")
	another := made.DeepCopy()
	another.Spec.AgainstRef = &release.LocalObjectReference{Name: "other"}
	_, err = s.apply(another)
	require.ErrorContains(t, err, "spec.againstRef")

	decided := made.DeepCopy()
	decided.Status.CreatedBy, decided.Status.Approval = "forged", release.ApprovalApproved
	changed, _, err := s.status.Update(as(t, "controller"), made.Name, rest.DefaultUpdatedObjectInfo(decided), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "ann", changed.(*release.CRDSchema).Status.CreatedBy)
	require.Equal(t, release.ApprovalApproved, changed.(*release.CRDSchema).Status.Approval)
	require.Empty(t, warnings(as(t, "ann"), made, made), "an update is not judged")
}

func TestBaseline_NewestLowerVersionWithTheCRD(t *testing.T) {
	s := newStore(t, release.BreakingDeny, "0.9.0", "1.0.0", "1.2.0", "1.10.0", "2.0.0")
	for _, version := range []string{"0.9.0", "1.0.0", "2.0.0"} {
		_, err := s.create(schemaOf(version, widgets(t, 5)))
		require.NoError(t, err)
	}
	made, err := s.create(schemaOf("1.10.0", widgets(t, 5)))
	require.NoError(t, err)
	require.Equal(t, "op-1.0.0.widgets.example.com", made.Status.Against.Name)

	_, _, err = s.main.Delete(as(t, "ann"), "op-0.9.0.widgets.example.com", rest.ValidateAllObjectFunc, &metav1.DeleteOptions{})
	require.NoError(t, err, "one that another was compared with may go")
}

func TestCreate_LookupFails(t *testing.T) {
	for name, breakIt := range map[string]func(*lookup.Objects){
		"versions":  func(o *lookup.Objects) { o.OperatorVersions = away{} },
		"operators": func(o *lookup.Objects) { o.Operators = away{} },
		"schemas":   func(o *lookup.Objects) { o.CRDSchemas = away{} },
		"the list": func(o *lookup.Objects) {
			o.Versions = func(context.Context) ([]release.OperatorVersion, error) {
				return nil, errors.New("etcd is away")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, release.BreakingDeny, "1.0.0", "1.1.0")
			breakIt(s.objects)
			_, err := s.create(schemaOf("1.1.0", widgets(t, 5)))
			require.ErrorContains(t, err, "etcd is away")
			require.False(t, apierrors.IsInvalid(err), err)
		})
	}
	s := newStore(t, release.BreakingDeny)
	s.objects.CRDSchemas = others{"before": schemaOf("", runtime.RawExtension{Raw: []byte("{}")})}
	damaged := schemaOf("", widgets(t, 5))
	damaged.Spec.AgainstRef = &release.LocalObjectReference{Name: "before"}
	_, err := s.create(damaged)
	require.True(t, apierrors.IsInternalError(err), err)

	require.Len(t, refusals(t.Context(), damaged), 1, "without a judgement nothing is stored")
	_, err = s.create(schemaOf("", runtime.RawExtension{Raw: []byte(`{"kind":"Pod"}`)}))
	require.True(t, apierrors.IsInvalid(err), err)
}

func TestSelectors(t *testing.T) {
	s := newStore(t, release.BreakingRequireApproval, "1.0.0", "1.1.0")
	require.Equal(t, []string{"crdschema"}, s.main.ShortNames())
	require.Empty(t, s.main.Categories())
	waiting := asking(schemaOf("1.1.0", widgets(t, 4)))
	for _, schema := range []*release.CRDSchema{schemaOf("1.0.0", widgets(t, 5)), waiting,
		schemaOf("", widgets(t, 5, func(d *apiextensionsv1.CustomResourceDefinition) { gadgets(d) }))} {
		_, err := s.create(schema)
		require.NoError(t, err)
	}
	for selector, want := range map[string]int{
		"status.approval=Pending": 1, "status.approval=NotRequired": 2, "status.crd=widgets.example.com": 2, "status.crd=gadgets.example.com": 1,
		"spec.operatorVersionRef.name=op-1.1.0": 1, "spec.operatorVersionRef.name=": 1, "metadata.name=by-hand": 1,
	} {
		found, err := s.main.List(as(t, "ann"), &metainternalversion.ListOptions{FieldSelector: fields.ParseSelectorOrDie(selector)})
		require.NoError(t, err)
		require.Len(t, found.(*release.CRDSchemaList).Items, want, selector)
	}
}
