// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/helm/repository"
)

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		name    string
		err     error
		reason  string
		retried bool
		after   time.Duration
		person  bool
	}{
		{"unreachable", &repository.Error{Kind: repository.KindUnreachable, RetryAfter: 9 * time.Second}, v1alpha1.ReasonRepositoryUnavailable,
			true, 9 * time.Second, false},
		{"refused", &repository.Error{Kind: repository.KindRefused}, v1alpha1.ReasonRepositoryRefused, true, 0, true},
		{"unauthorized", &repository.Error{Kind: repository.KindUnauthorized}, v1alpha1.ReasonCredentialsRefused, true, 0, true},
		{"no repository", &repository.Error{Kind: repository.KindNotFound, Missing: repository.MissingRepository},
			v1alpha1.ReasonRepositoryNotFound, true, 0, true},
		{"no chart", &repository.Error{Kind: repository.KindNotFound, Missing: repository.MissingChart},
			v1alpha1.ReasonChartNotFound, true, 0, true},
		{"no version", fmt.Errorf("wrapped: %w", &repository.Error{Kind: repository.KindNotFound, Missing: repository.MissingVersion}),
			v1alpha1.ReasonChartVersionNotFound, true, 0, true},
		{"digest", &repository.Error{Kind: repository.KindDigestMismatch}, v1alpha1.ReasonChartDigestMismatch, true, 0, true},
		{"too large", &repository.Error{Kind: repository.KindTooLarge}, v1alpha1.ReasonChartTooLarge, true, 0, true},
		{"invalid", &repository.Error{Kind: repository.KindInvalid}, v1alpha1.ReasonChartInvalid, true, 0, true},
		{"templates", &repository.Error{Kind: repository.KindUnrenderable}, v1alpha1.ReasonChartNotRendered, false, 0, true},
		{"interrupted", context.Canceled, v1alpha1.ReasonRequestFailed, true, 0, false},
	} {
		got := Classify(test.err, v1alpha1.ReasonChartInvalid)
		assert.Equal(t, test.reason, got.Reason, test.name)
		assert.Equal(t, test.retried, got.Err != nil, test.name)
		assert.Equal(t, test.after, got.RequeueAfter, test.name)
		assert.Equal(t, test.person, MustAct(got.Reason), test.name)
	}
}

func TestRedact(t *testing.T) {
	values := &Values{secrets: texts(map[string]any{
		"password": "hunter2", "long": "hunter2-and-more", "list": []any{"a\nfirst line\nline \"two\"", 471147, true, nil}, "short": "abc",
	}, nil)}
	retried := &base.Blocked{
		Message: `with hunter2-and-more, hunter2, "first line", "line \"two\"", 471147 and abc`,
		Err:     errors.New("hunter2"),
	}
	got := values.Redact(retried)
	assert.Equal(t, `with [redacted], [redacted], "[redacted]", "[redacted]", [redacted] and abc`, got.Message)
	assert.NotContains(t, got.Err.Error(), "hunter2")
	assert.Nil(t, values.Redact(nil))
	plain := &base.Blocked{Message: "hunter2"}
	assert.Same(t, plain, (&Values{}).Redact(plain), "nothing came from a Secret")
}

func TestValuesThatAreNone(t *testing.T) {
	for _, raw := range []string{"[1]", `"text"`, "7"} {
		_, problem := Source{}.Values(t.Context(),
			&v1alpha1.Operator{Spec: v1alpha1.OperatorSpec{Values: &runtime.RawExtension{Raw: []byte(raw)}}})
		assert.Equal(t, v1alpha1.ReasonValuesInvalid, problem.Reason)
		_, problem = Source{}.Values(t.Context(),
			&v1alpha1.Operator{Spec: v1alpha1.OperatorSpec{EnvironmentValues: map[string]runtime.RawExtension{"Production": {Raw: []byte(raw)}}}})
		assert.Contains(t, problem.Message, "spec.environmentValues[Production]")
	}
}

func TestSecretKeys(t *testing.T) {
	operator := &v1alpha1.Operator{}
	assert.Empty(t, SecretKeys(operator))
	operator.Spec.Chart.CredentialsSecretRef = &v1alpha1.SecretReference{Namespace: "a", Name: "b"}
	operator.Spec.ValuesFrom = []v1alpha1.ValuesSource{{}, {SecretRef: &v1alpha1.SecretKeyReference{Namespace: "c", Name: "d"}}}
	assert.Equal(t, []string{"a/b", "c/d"}, SecretKeys(operator))
}
