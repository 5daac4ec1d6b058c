// SPDX-License-Identifier: Apache-2.0

package releaseevidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	"roadstead.dev/roadstead/pkg/apis/release"
)

const (
	crd        = "widgets.example.com"
	schemaName = "op-1.0.0." + crd
)

var (
	recorded = release.OperatorVersionCRD{Name: crd, Digest: "sha256:1"}
	begin    = time.Unix(1000, 0)
)

// evidenceOf returns the CRDSchema of op-1.0.0.
func evidenceOf(creator string, approval release.ApprovalState) *release.CRDSchema {
	return &release.CRDSchema{
		ObjectMeta: metav1.ObjectMeta{Name: schemaName, CreationTimestamp: metav1.NewTime(begin)},
		Spec:       release.CRDSchemaSpec{OperatorVersionRef: &release.LocalObjectReference{Name: "op-1.0.0"}},
		Status:     release.CRDSchemaStatus{CRD: crd, CreatedBy: creator, Approval: approval},
	}
}

func deleting[T metav1.Object](object T) T {
	now := metav1.NewTime(begin)
	object.SetDeletionTimestamp(&now)
	return object
}

// with are the stored objects by their kinds.
func with(all ...runtime.Object) stored {
	objects := stored{}
	for _, object := range all {
		resource := "crdschemas"
		switch object.(type) {
		case *release.Operator:
			resource = "operators"
		case *release.OperatorVersion:
			resource = "operatorversions"
		}
		objects[[2]string{resource, object.(metav1.Object).GetName()}] = object
	}
	return objects
}

func TestDelete_CRDSchema(t *testing.T) {
	chart, manual := versionOf(release.CRDSourceChart, recorded), versionOf(release.CRDSourceManual, recorded)
	again := versionOf(release.CRDSourceChart, recorded)
	again.CreationTimestamp = metav1.NewTime(begin.Add(time.Second))
	manualAgain := again.DeepCopy()
	manualAgain.Spec.CRDSource = release.CRDSourceManual
	owned := evidenceOf(controller, release.ApprovalNotRequired)
	owned.OwnerReferences = []metav1.OwnerReference{{Kind: "OperatorVersion", Name: "op-1.0.0", UID: "one-that-never-was"}}
	free := evidenceOf("ann", release.ApprovalNotRequired)
	free.Spec.OperatorVersionRef = nil
	const says = "later versions are compared with CRDSchema " + schemaName + " as long as OperatorVersion op-1.0.0 exists"
	for name, tc := range map[string]struct {
		schema  *release.CRDSchema
		version *release.OperatorVersion
		says    string
	}{
		"accepted":                          {evidenceOf(controller, release.ApprovalNotRequired), chart, says},
		"approved":                          {evidenceOf(controller, release.ApprovalApproved), chart, says},
		"of a user, in a manual version":    {evidenceOf("ann", release.ApprovalNotRequired), manual, says},
		"with a forged owner":               {owned, chart, says},
		"pending":                           {evidenceOf(controller, release.ApprovalPending), chart, ""},
		"rejected":                          {evidenceOf(controller, release.ApprovalRejected), chart, ""},
		"not judged":                        {evidenceOf("ann", ""), manual, ""},
		"of a user, in a chart's version":   {evidenceOf("ann", release.ApprovalNotRequired), chart, ""},
		"of no version":                     {free, nil, ""},
		"the version is deleted":            {evidenceOf(controller, release.ApprovalNotRequired), nil, ""},
		"the version is being deleted":      {evidenceOf(controller, release.ApprovalNotRequired), deleting(chart.DeepCopy()), ""},
		"of a deleted version of this name": {evidenceOf(controller, release.ApprovalNotRequired), again, ""},
		"created before a manual version":   {evidenceOf("ann", release.ApprovalNotRequired), manualAgain, says},
		"is being deleted":                  {deleting(evidenceOf(controller, release.ApprovalNotRequired)), chart, ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := with()
			if tc.version != nil {
				objects = with(tc.version)
			}
			requireNeeded(t, tc.says, objects, admission.Delete, "crdschemas", nil, tc.schema)
		})
	}
}

func TestDelete_OperatorVersion(t *testing.T) {
	const says = "later versions are compared with CRDSchema " + schemaName + " of OperatorVersion op-1.0.0"
	operator := operatorWith(release.BreakingDeny)
	for name, tc := range map[string]struct {
		version *release.OperatorVersion
		stored  stored
		says    string
	}{
		"with an accepted CRDSchema": {versionOf(release.CRDSourceChart, recorded),
			with(operator, evidenceOf(controller, release.ApprovalNotRequired)), says},
		"with a lost one": {versionOf(release.CRDSourceChart, recorded), with(operator), says},
		"with a pending one": {versionOf(release.CRDSourceChart, recorded),
			with(operator, evidenceOf(controller, release.ApprovalPending)), ""},
		"with one that was refused": {refused(), with(operator), ""},
		"without CRDs":              {versionOf(release.CRDSourceChart), with(operator), ""},
		"the Operator is deleted": {versionOf(release.CRDSourceChart, recorded), with(evidenceOf(controller, release.ApprovalNotRequired)),
			""},
		"the Operator is going away": {versionOf(release.CRDSourceChart, recorded),
			with(deleting(operator.DeepCopy()), evidenceOf(controller, release.ApprovalNotRequired)), ""},
		"the version is being deleted": {deleting(versionOf(release.CRDSourceChart, recorded)),
			with(operator, evidenceOf(controller, release.ApprovalNotRequired)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			requireNeeded(t, tc.says, tc.stored, admission.Delete, "operatorversions", nil, tc.version)
		})
	}
}

func TestDelete_Operator(t *testing.T) {
	accepted := evidenceOf(controller, release.ApprovalApproved)
	other := versionOf(release.CRDSourceChart, recorded)
	other.Spec.OperatorRef.Name = "other"
	for name, tc := range map[string]struct {
		operator *release.Operator
		stored   stored
		says     string
	}{
		"with evidence": {operatorWith(""), with(versionOf(release.CRDSourceChart, recorded), accepted),
			"CRDSchema " + schemaName + " of OperatorVersion op-1.0.0"},
		"without versions":           {operatorWith(""), with(accepted), ""},
		"versions of another one":    {operatorWith(""), with(other, accepted), ""},
		"nothing accepted":           {operatorWith(""), with(refused()), ""},
		"its version is deleted too": {operatorWith(""), with(deleting(versionOf(release.CRDSourceChart, recorded)), accepted), ""},
		"is being deleted":           {deleting(operatorWith("")), with(versionOf(release.CRDSourceChart, recorded), accepted), ""},
	} {
		t.Run(name, func(t *testing.T) {
			requireNeeded(t, tc.says, tc.stored, admission.Delete, "operators", nil, tc.operator)
		})
	}
}

func TestDelete_ByTheController(t *testing.T) {
	objects := with(operatorWith(""), versionOf(release.CRDSourceChart, recorded), evidenceOf(controller, release.ApprovalNotRequired))
	asked, err := asks(t, objects, controller, false, admission.Delete, "operatorversions", nil, versionOf(release.CRDSourceChart, recorded))
	require.NoError(t, err, "versions beyond the history limit")
	require.Zero(t, asked)
}

func TestDelete_StoreUnavailable(t *testing.T) {
	for resource, object := range map[string]runtime.Object{
		"crdschemas":       evidenceOf(controller, release.ApprovalNotRequired),
		"operatorversions": versionOf(release.CRDSourceChart, recorded), "operators": operatorWith(""),
	} {
		_, err := asks(t, nil, "ann", true, admission.Delete, resource, nil, object)
		require.True(t, apierrors.IsServiceUnavailable(err), "%s: %v", resource, err)
	}
}
