// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

const (
	mayNot   = "the objects are not named because user alice may not list them"
	notKnown = "the objects are not named because it could not be determined whether user alice may list them"
)

func TestReview_NamesObjectsToReadersOnly(t *testing.T) {
	objects := func() *stock { return stored("confidential", "other") }
	broken := func() *stock { return &stock{err: errors.New("conversion of ns/confidential failed")} }
	counted := counter{count: Count{7, time.Minute}}
	change := request(t, admissionv1.Update, "", sized(), narrowed())
	defaulted := request(t, admissionv1.Update, "", widgets(map[string]props{"color": {Type: "string"}}), defaulting())
	warned := request(t, admissionv1.Update, "", annotated(sized(), PolicyAnnotation, "Warn"), narrowed())
	value := AllowChange(compare.Digest(sized(), narrowed()), 1)
	allowed := request(t, admissionv1.Update, "", annotated(sized(), AllowChangeAnnotation, value), narrowed())
	deletion := request(t, admissionv1.Delete, "", sized(), nil)
	for name, tc := range map[string]struct {
		request *admissionv1.AdmissionRequest
		objects *stock
		// says is expected in the answer for every user.
		says string
	}{
		"refused change":          {change, objects(), "2 of 2 checked objects"},
		"change under Warn":       {warned, objects(), "2 of 2 checked objects"},
		"allowed change":          {allowed, objects(), "2 of 2 checked objects"},
		"change to be reviewed":   {defaulted, objects(), "checked objects"},
		"refused deletion":        {deletion, objects(), "2 widgets.example.com exist"},
		"deletion, failing lists": {deletion, broken(), "cannot determine whether widgets.example.com exist"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.request.UserInfo.Username = "alice"
			for says, readers := range map[string]*access{"": {allowed: true}, mayNot: {}, notKnown: {allowed: true, err: errors.New("timeout")}} {
				answer := review(t, Options{Objects: tc.objects, Access: readers}, tc.request)
				text, err := json.Marshal(answer.Response)
				require.NoError(t, err)
				assert.Contains(t, string(text), tc.says)
				assert.Equal(t, []string{"alice list example.com/v1, Resource=widgets"}, readers.asked)
				if says == "" {
					assert.Contains(t, string(text), "confidential")
					assert.NotContains(t, string(text), "not named")
					continue
				}
				assert.NotContains(t, string(text), "confidential")
				if tc.objects.err == nil {
					assert.Contains(t, string(text), says)
				}
			}
		})
	}

	for name, options := range map[string]Options{
		"no objects":      {Objects: stored()},
		"no permission":   {Objects: &stock{err: apierrors.NewForbidden(definitions, "", errors.New("no"))}, Counts: counted},
		"nothing to list": {Counts: counted},
	} {
		for _, request := range []*admissionv1.AdmissionRequest{change, deletion} {
			readers := &access{}
			options.Access = readers
			review(t, options, request)
			assert.Empty(t, readers.asked, "%s: nothing could be named", name)
		}
	}
}

func TestReview_WithoutAccessNamesNoObjects(t *testing.T) {
	request := request(t, admissionv1.Update, "", sized(), narrowed())
	request.UserInfo.Username = "alice"
	answer, err := New(Options{Objects: stored("confidential")}).Review(t.Context(), request)
	require.NoError(t, err)
	assert.Contains(t, answer.Response.Result.Message, notKnown)
	assert.NotContains(t, answer.Response.Result.Message, "confidential")
	assert.Contains(t, strings.Join(answer.Response.Warnings, "\n"), notKnown, "kubectl does not print the message")
}
