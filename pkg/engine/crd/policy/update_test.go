// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func TestReview_Update(t *testing.T) {
	digest := compare.Digest(sized(), narrowed())
	allowed := AllowChange(digest, 1)
	for name, tc := range map[string]struct {
		byDefault Policy
		old, new  *apiextensionsv1.CustomResourceDefinition
		decision  Decision
		verdict   rules.Verdict
		warning   string
	}{
		"no change": {Deny, sized(), sized(), Allowed, rules.Informational, ""},
		"only annotations are added": {Deny, sized(), annotated(sized(), AllowChangeAnnotation, allowed), Allowed,
			rules.Informational, ""},
		"a field is added":   {Deny, sized(), extended(), Allowed, rules.Safe, ""},
		"a default is added": {Deny, sized(), defaulting(), Allowed, rules.Review, "spec.versions[v1].schema.spec.size: [CRD-"},
		"a field is removed": {Deny, sized(), narrowed(), Denied, rules.Destructive, ""},
		"a field is removed, default Warn": {Warn, sized(), narrowed(), Warned, rules.Destructive,
			"spec.versions[v1].schema.spec.color: [CRD-"},
		"the stored policy is Warn": {Deny, annotated(sized(), PolicyAnnotation, "Warn"), narrowed(), Warned,
			rules.Destructive, "spec.color"},
		"the stored policy is Deny":   {Warn, annotated(sized(), PolicyAnnotation, "Deny"), narrowed(), Denied, rules.Destructive, ""},
		"the stored policy is Off":    {Deny, annotated(sized(), PolicyAnnotation, "Off"), narrowed(), Unguarded, rules.Informational, ""},
		"the request sets the policy": {Deny, sized(), annotated(narrowed(), PolicyAnnotation, "Off"), Denied, rules.Destructive, ""},
		"the policy is misspelt": {Deny, annotated(sized(), PolicyAnnotation, "off"), narrowed(), Denied, rules.Destructive,
			`is "off", but must be Deny, Warn or Off; policy Deny applies`},
		"this change is allowed": {Deny, annotated(sized(), AllowChangeAnnotation, allowed), narrowed(), AllowedOnce,
			rules.Destructive, "annotation roadstead.dev/allow-change allows it"},
		"the request allows itself": {Deny, sized(), annotated(narrowed(), AllowChangeAnnotation, allowed),
			Denied, rules.Destructive, ""},
		"another change is allowed": {Deny, annotated(sized(), AllowChangeAnnotation, "sha256:00@1"), narrowed(), Denied,
			rules.Destructive, "allows a different change (sha256:00@1)"},
		"no generation is allowed": {Deny, annotated(sized(), AllowChangeAnnotation, digest), narrowed(), Denied, rules.Destructive,
			"has no generation and allows nothing (" + digest + ")"},
		"an older generation is allowed": {Deny, at(annotated(sized(), AllowChangeAnnotation, allowed), 2), narrowed(), Denied,
			rules.Destructive, "allows this change of generation 1 only, but the stored CRD has generation 2"},
		"the allowed change breaks nothing": {Deny, annotated(sized(), AllowChangeAnnotation, allowed), extended(), Allowed, rules.Safe, ""},
		"allowed, and the policy is Off": {Deny, annotated(annotated(sized(), AllowChangeAnnotation, allowed), PolicyAnnotation, "Off"),
			narrowed(), Unguarded, rules.Informational, ""},
		"a bundle is injected":       {Deny, hooked("old"), hooked("new"), Allowed, rules.Informational, ""},
		"rejected by the API server": {Deny, sized(), rescoped(), Allowed, rules.Informational, ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := update(t, Options{Policy: tc.byDefault}, tc.old, tc.new)
			assert.Equal(t, tc.decision, answer.Decision)
			assert.Equal(t, tc.verdict, answer.Verdict)
			assert.Equal(t, tc.decision != Denied, answer.Response.Allowed)
			if tc.warning == "" {
				assert.Empty(t, answer.Response.Warnings)
			} else {
				assert.Contains(t, strings.Join(answer.Response.Warnings, "\n"), tc.warning)
			}
		})
	}
}

// hooked has a conversion webhook with a CA bundle.
func hooked(bundle string) *apiextensionsv1.CustomResourceDefinition {
	definition := sized()
	definition.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Namespace: "a", Name: "b"},
				CABundle: []byte(bundle)},
		},
	}
	return definition
}

// rescoped has another scope, which the API server rejects by itself.
func rescoped() *apiextensionsv1.CustomResourceDefinition {
	definition := sized()
	definition.Spec.Scope = apiextensionsv1.ClusterScoped
	return definition
}

func TestRefusal_CausesAndCommand(t *testing.T) {
	old, new := sized(), widgets(map[string]props{"size": {Type: "string", MaxLength: ptr.To[int64](3)}})
	answer := update(t, Options{}, old, new)
	status := answer.Response.Result
	require.NotNil(t, status)
	assert.EqualValues(t, 422, status.Code)
	assert.Equal(t, metav1.StatusReasonInvalid, status.Reason)
	assert.Equal(t, "CustomResourceDefinition", status.Details.Kind)
	assert.Equal(t, "apiextensions.k8s.io", status.Details.Group)
	assert.Equal(t, "widgets.example.com", status.Details.Name)
	require.Len(t, status.Details.Causes, 3, "two findings and the command")
	assert.Equal(t, "spec.versions[v1].schema.spec.color", status.Details.Causes[0].Field)
	assert.Contains(t, status.Details.Causes[0].Message, "B!")
	assert.Contains(t, status.Details.Causes[0].Message, "Instead: ")
	assert.Equal(t, "spec.versions[v1].schema.spec.size", status.Details.Causes[1].Field)
	command := "kubectl annotate crd widgets.example.com roadstead.dev/allow-change=" + compare.Digest(old, new) + "@1 --overwrite"
	assert.Contains(t, status.Details.Causes[2].Message, command)
	lines := strings.Split(status.Message, "\n")
	assert.True(t, strings.HasSuffix(lines[len(lines)-1], command), "the last line is the command: %s", status.Message)
	assert.Contains(t, status.Message, status.Details.Causes[0].Message)
	assert.Equal(t, compare.Digest(old, new), answer.Response.AuditAnnotations["digest"])
}

func TestRefusal_Bounded(t *testing.T) {
	many, fewer := map[string]props{}, map[string]props{"keep": {Type: "string"}}
	many["keep"] = props{Type: "string"}
	for i := range 150 {
		many[fmt.Sprintf("field%03d", i)] = props{Type: "string"}
	}
	answer := update(t, Options{}, widgets(many), widgets(fewer))
	status := answer.Response.Result
	require.Len(t, status.Details.Causes, maxCauses+2)
	assert.Equal(t, "and 50 more", status.Details.Causes[maxCauses].Message)
	assert.Contains(t, status.Message, "\n- and 140 more\n")
	assert.Equal(t, inMessage, strings.Count(status.Message, "\n- spec."))

	answer = update(t, Options{Policy: Warn}, widgets(many), widgets(fewer))
	require.Len(t, answer.Response.Warnings, mostWarnings+1)
	assert.Equal(t, "and 138 more", answer.Response.Warnings[mostWarnings])
}

func TestRefusal_SchemaTooDeep(t *testing.T) {
	deep := props{Type: "string"}
	for range 600 {
		deep = props{Type: "object", Properties: map[string]props{"f": deep}}
	}
	answer := update(t, Options{}, sized(), widgets(map[string]props{"size": {Type: "string"}, "color": {Type: "string"}, "deep": deep}))
	assert.Equal(t, Denied, answer.Decision)
	assert.Empty(t, answer.Digest)
	assert.Contains(t, answer.Response.Result.Message, "kubectl annotate crd widgets.example.com roadstead.dev/crd-policy=Warn --overwrite")
}

func TestReview_LiveObjects(t *testing.T) {
	objects := stored("a", "b", "c", "d", "e", "f")
	answer := update(t, Options{Objects: objects}, sized(), narrowed())
	require.Equal(t, Denied, answer.Decision)
	assert.Contains(t, answer.Response.Result.Message, "6 of 6 checked objects")
	assert.Contains(t, answer.Response.Result.Message, "Objects: ns/a, ns/b, ns/c, ns/d, ns/e and 1 more.")
	assert.Contains(t, answer.Response.Result.Message, "All 6 stored objects were checked")
	assert.Equal(t, compare.Digest(sized(), narrowed()), answer.Digest, "the digest does not depend on stored objects")
}

func TestReview_ListsObjectsOnlyIfNeeded(t *testing.T) {
	for name, new := range map[string]*apiextensionsv1.CustomResourceDefinition{"no change": sized(), "safe": extended()} {
		objects := stored("a")
		update(t, Options{Objects: objects}, sized(), new)
		assert.Zero(t, objects.asked, name)
	}
	objects := stored("a")
	answer := update(t, Options{Objects: objects}, sized(), defaulting())
	assert.Equal(t, Allowed, answer.Decision)
	assert.Equal(t, 2, objects.asked)
	none := stored()
	answer = update(t, Options{Objects: none}, sized(), narrowed())
	assert.Equal(t, 1, none.asked, "without objects the schemas are not built")
	assert.Contains(t, answer.Response.Result.Message, "No objects of the CRD are stored.")
}

func TestRefusal_MissingPermissionToList(t *testing.T) {
	forbidden := &stock{err: apierrors.NewForbidden(definitions, "", errors.New("no"))}
	answer := update(t, Options{Objects: forbidden}, sized(), narrowed())
	assert.Equal(t, 1, forbidden.asked)
	assert.Contains(t, answer.Response.Result.Message,
		"no permission to list widgets.example.com (ClusterRole roadstead:crdguard-live grants it)")
	require.Len(t, answer.Response.Warnings, 1, "kubectl does not print the message")
	assert.Contains(t, answer.Response.Warnings[0], LiveRole)

	answer = update(t, Options{Objects: forbidden}, sized(), defaulting())
	assert.Equal(t, Allowed, answer.Decision)
	assert.NotContains(t, strings.Join(answer.Response.Warnings, "\n"), LiveRole, "not reported if nothing breaks")
}

func TestReview_LiveBudget(t *testing.T) {
	objects := stored("a", "b")
	objects.slow = true
	begin := time.Now()
	answer := update(t, Options{Objects: objects, LiveBudget: 50 * time.Millisecond}, sized(), narrowed())
	assert.Less(t, time.Since(begin), 5*time.Second)
	assert.Equal(t, Denied, answer.Decision)
	assert.Contains(t, answer.Response.Result.Message, "was reached after 0 objects")
}
