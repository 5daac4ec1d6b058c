// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func TestReview_Delete(t *testing.T) {
	forbidden := &stock{err: apierrors.NewForbidden(definitions, "", errors.New("no"))}
	broken := &stock{err: errors.New("the conversion webhook does not answer")}
	deleting := sized()
	deleting.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	installing := sized()
	installing.Status.Conditions = nil
	hidden := sized()
	hidden.Spec.Versions[0].Served = false
	for name, tc := range map[string]struct {
		definition *apiextensionsv1.CustomResourceDefinition
		options    Options
		decision   Decision
		says       string
	}{
		"no objects": {sized(), Options{Objects: stored()}, Allowed, ""},
		"one object": {sized(), Options{Objects: stored("a")}, Denied, "1 object exists of widgets.example.com: ns/a"},
		"many objects": {sized(), Options{Objects: stored("a", "b", "c")}, Denied,
			"3 widgets.example.com exist, the first one is ns/a"},
		"counted": {sized(), Options{Objects: forbidden, Counts: counter{count: Count{7, time.Minute}}}, Denied,
			"7 widgets.example.com existed when the cluster last counted them, up to 1m0s ago"},
		"counted, none": {sized(), Options{Objects: forbidden, Counts: counter{}}, Allowed, ""},
		"no figure": {sized(), Options{Objects: forbidden, Counts: counter{err: errors.New("/metrics has no figure")}}, CannotTell,
			"cannot determine whether widgets.example.com exist: this server has no permission to list widgets.example.com (ClusterRole " +
				"roadstead:crdguard-live grants it), and /metrics has no figure"},
		"lists fail": {sized(), Options{Objects: broken, Counts: counter{count: Count{1, time.Second}}},
			Denied, "1 widgets.example.com existed"},
		"lists fail, no figure": {sized(), Options{Objects: broken, Counts: counter{err: errors.New("none")}}, CannotTell,
			"the conversion webhook does not answer"},
		"no lister and no counter": {sized(), Options{}, CannotTell, "cannot determine"},
		"no version is served":     {hidden, Options{Objects: stored("a")}, CannotTell, "no version of widgets.example.com is served"},
		"already being deleted":    {deleting, Options{}, Allowed, ""},
		"never served":             {installing, Options{Objects: stored("a")}, Allowed, ""},
		"the policy is Off":        {annotated(sized(), PolicyAnnotation, "Off"), Options{Objects: stored("a")}, Unguarded, ""},
		"the policy is Warn":       {annotated(sized(), PolicyAnnotation, "Warn"), Options{Objects: stored("a")}, Warned, "1 object exists"},
		"unknown, policy Warn":     {sized(), Options{Policy: Warn}, Warned, "cannot determine"},
		"allowed": {annotated(sized(), AllowDeleteAnnotation, "uid-1"), Options{Objects: stored("a")}, AllowedOnce,
			"annotation roadstead.dev/allow-delete allows the deletion"},
		"allowed for another": {annotated(sized(), AllowDeleteAnnotation, "uid-0"), Options{Objects: stored("a")}, Denied,
			"is for a CRD with another UID (uid-0)"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := review(t, tc.options, request(t, admissionv1.Delete, "", tc.definition, nil))
			require.Equal(t, tc.decision, answer.Decision)
			refused := tc.decision == Denied || tc.decision == CannotTell
			assert.Equal(t, !refused, answer.Response.Allowed)
			if !refused {
				assert.Contains(t, strings.Join(answer.Response.Warnings, "\n"), tc.says)
				assert.Equal(t, tc.says == "", len(answer.Response.Warnings) == 0)
				return
			}
			command := "kubectl annotate crd widgets.example.com roadstead.dev/allow-delete=uid-1 --overwrite"
			status := answer.Response.Result
			assert.Contains(t, status.Message, tc.says)
			assert.True(t, strings.HasSuffix(status.Message, command), status.Message)
			assert.Contains(t, status.Details.Causes[len(status.Details.Causes)-1].Message, command)
			assert.Equal(t, metav1.StatusReasonInvalid, status.Reason)
			assert.Equal(t, rules.Destructive, answer.Verdict)
		})
	}
}

func TestReview_StoredVersionRemoved(t *testing.T) {
	old, new := sized(), sized()
	old.Status.StoredVersions = []string{"v1beta1", "v1"}
	answer := review(t, Options{}, request(t, admissionv1.Update, "status", old, new))
	assert.True(t, answer.Response.Allowed)
	assert.Equal(t, rules.Review, answer.Verdict)
	require.Len(t, answer.Response.Warnings, 2)
	assert.Contains(t, answer.Response.Warnings[0], "v1beta1 is removed from status.storedVersions of widgets.example.com")
	assert.Contains(t, answer.Response.Warnings[1], "kubectl get widgets.example.com --all-namespaces -o json | kubectl replace -f -")

	for name, off := range map[string]*apiextensionsv1.CustomResourceDefinition{"nothing lost": new, "off": annotated(old.DeepCopy(),
		PolicyAnnotation, "Off")} {
		answer = review(t, Options{}, request(t, admissionv1.Update, "status", off, new))
		assert.True(t, answer.Response.Allowed, name)
		assert.Empty(t, answer.Response.Warnings, name)
	}
	old.Spec.Scope = apiextensionsv1.ClusterScoped
	answer = review(t, Options{}, request(t, admissionv1.Update, "status", old, new))
	assert.NotContains(t, answer.Response.Warnings[1], "--all-namespaces")
}
