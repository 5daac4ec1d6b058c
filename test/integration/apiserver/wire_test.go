// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

func TestEveryFormatIsAnswered(t *testing.T) {
	t.Parallel()
	u := statusWriter(t)
	created(t, u, newDomain("formats"))
	base := framework.DomainsPath(u.Namespace)
	for _, path := range []string{base + "/formats", base + "/formats/status", base} {
		for accept, kind := range map[string]string{
			"application/json":                                                                    "Domain",
			"application/yaml":                                                                    "Domain",
			"application/vnd.kubernetes.protobuf":                                                 "k8s\x00",
			"application/json;as=Table;v=v1;g=meta.k8s.io":                                        "Table",
			"application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io":                        "PartialObjectMetadata",
			"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io":                    "PartialObjectMetadataList",
			"application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io": "k8s\x00",
		} {
			list := path == base
			if strings.Contains(accept, "as=PartialObjectMetadata;") && list || strings.Contains(accept, "List") && !list {
				continue // a single object has no list form, and a list has no object form
			}
			answer := framework.Do(t, u.Config, framework.Request{Path: path, Accept: accept})
			require.Equal(t, http.StatusOK, answer.Code, "%s as %s: %s", path, accept, answer.Body)
			if kind == "k8s\x00" {
				require.True(t, strings.HasPrefix(string(answer.Body), kind), "%s as %s", path, accept)
				continue
			}
			var meta metav1.TypeMeta
			require.NoError(t, yaml.Unmarshal(answer.Body, &meta), "%s as %s", path, accept)
			if list && kind == "Domain" {
				kind = "DomainList"
			}
			require.Equal(t, kind, meta.Kind, "%s as %s", path, accept)
		}
	}
	unknown := framework.Do(t, u.Config, framework.Request{Path: base, Accept: "text/html"})
	require.Equal(t, http.StatusNotAcceptable, unknown.Code)
}

func TestEveryFormatIsTaken(t *testing.T) {
	t.Parallel()
	u := editor(t)
	config := *u.Config
	config.ContentType = "application/vnd.kubernetes.protobuf"
	answer := framework.Do(t, u.Config, framework.Request{
		Method: http.MethodPost, Path: framework.DomainsPath(u.Namespace), ContentType: "application/yaml", Body: manifest("as-yaml"),
	})
	require.Equal(t, http.StatusCreated, answer.Code, "%s", answer.Body)
	typed := framework.ClientFor(t, &config)
	made, err := typed.TakaroV1alpha1().Domains(u.Namespace).Create(t.Context(), newDomain("as-protobuf", func(d *v1alpha1.Domain) {
		d.Spec.Description = "over protobuf"
	}), metav1.CreateOptions{})
	require.NoError(t, err)
	require.Equal(t, "over protobuf", made.Spec.Description)
	require.Equal(t, "over protobuf", got(t, u, "as-protobuf").Spec.Description)
}

func TestLists(t *testing.T) {
	t.Parallel()
	u := editor(t)
	for i := range 7 {
		created(t, u, newDomain(fmt.Sprintf("listed-%d", i), func(d *v1alpha1.Domain) {
			d.Labels = map[string]string{"odd": fmt.Sprint(i%2 == 1)}
		}))
	}
	list := func(options metav1.ListOptions) *v1alpha1.DomainList {
		found, err := u.Domains().List(t.Context(), options)
		require.NoError(t, err)
		return found
	}
	t.Run("pages", func(t *testing.T) {
		var names []string
		options := metav1.ListOptions{Limit: 3}
		for {
			page := list(options)
			require.LessOrEqual(t, len(page.Items), 3)
			for _, item := range page.Items {
				names = append(names, item.Name)
			}
			if options.Continue = page.Continue; page.Continue == "" {
				break
			}
			require.NotNil(t, page.RemainingItemCount)
			require.EqualValues(t, 7-len(names), *page.RemainingItemCount)
		}
		require.Len(t, names, 7)
		require.IsIncreasing(t, names)
	})
	t.Run("selectors", func(t *testing.T) {
		require.Len(t, list(metav1.ListOptions{LabelSelector: "odd=true"}).Items, 3)
		require.Len(t, list(metav1.ListOptions{LabelSelector: "odd notin (true)"}).Items, 4)
		one := list(metav1.ListOptions{FieldSelector: "metadata.name=listed-4"})
		require.Len(t, one.Items, 1)
		require.Equal(t, "listed-4", one.Items[0].Name)
		require.Len(t, list(metav1.ListOptions{FieldSelector: "metadata.namespace=" + u.Namespace}).Items, 7)
		_, err := u.Domains().List(t.Context(), metav1.ListOptions{FieldSelector: "spec.name=x"})
		require.ErrorContains(t, err, "is not a field selector of Domain: use one of")
	})
	t.Run("resource versions", func(t *testing.T) {
		now := list(metav1.ListOptions{})
		created(t, u, newDomain("later"))
		require.Len(t, list(metav1.ListOptions{ResourceVersion: now.ResourceVersion,
			ResourceVersionMatch: metav1.ResourceVersionMatchExact}).Items, 7)
		require.Len(t, list(metav1.ListOptions{}).Items, 8, "a list without a version is consistent")
		require.GreaterOrEqual(t, len(list(metav1.ListOptions{ResourceVersion: now.ResourceVersion,
			ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}).Items), 7)
		_, err := u.Domains().List(t.Context(), metav1.ListOptions{ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		require.ErrorContains(t, err, "resourceVersionMatch")
	})
}

func TestStrictFieldValidation(t *testing.T) {
	t.Parallel()
	u := editor(t)
	unknown := manifest("strict", "colour: red")
	require.Contains(t, u.KubectlFails(t, unknown, "create", "-f", "-"), `strict decoding error: unknown field "spec.colour"`)
	duplicate := `{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","metadata":{"name":"strict"},` +
		`"spec":{"takaroApiUrl":"https://a.test","takaroApiUrl":"https://b.test"}}`
	post := func(validation string) framework.Answer {
		return framework.Do(t, u.Config, framework.Request{
			Method: http.MethodPost, Path: framework.DomainsPath(u.Namespace) + "?dryRun=All&fieldValidation=" + validation, Body: duplicate,
		})
	}
	require.Contains(t, post("Strict").Status(t, http.StatusBadRequest).Message, `duplicate field "spec.takaroApiUrl"`)
	warned := post("Warn")
	require.Equal(t, http.StatusCreated, warned.Code)
	require.Contains(t, warned.Header.Get("Warning"), "duplicate field")
	require.Empty(t, post("Ignore").Header.Get("Warning"))
}

func TestConflictsAndPreconditions(t *testing.T) {
	t.Parallel()
	u := editor(t)
	stale := created(t, u, newDomain("raced"))
	fresh := stale.DeepCopy()
	fresh.Spec.Description = "first"
	fresh, err := u.Domains().Update(t.Context(), fresh, metav1.UpdateOptions{})
	require.NoError(t, err)
	path := framework.DomainsPath(u.Namespace) + "/raced"
	body := func(version, uid string) string {
		return fmt.Sprintf(`{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"Domain","metadata":{"name":"raced",`+
			`"resourceVersion":"%s","uid":"%s"},"spec":{"takaroApiUrl":"%s"}}`, version, uid, address)
	}
	for name, tc := range map[string]struct {
		request framework.Request
		code    int
	}{
		"update with an old version": {framework.Request{Method: http.MethodPut, Path: path, Body: body(stale.ResourceVersion,
			string(stale.UID))}, http.StatusConflict},
		"update of another object": {framework.Request{Method: http.MethodPut, Path: path, Body: body(fresh.ResourceVersion,
			"another")}, http.StatusConflict},
		"update without a version": {framework.Request{Method: http.MethodPut, Path: path, Body: body("", string(stale.UID))},
			http.StatusUnprocessableEntity},
		"patch with an old version": {framework.Request{Method: http.MethodPatch, Path: path,
			ContentType: "application/merge-patch+json", Body: body(stale.ResourceVersion, string(stale.UID))}, http.StatusConflict},
		"delete of another object": {framework.Request{Method: http.MethodDelete, Path: path,
			Body: `{"preconditions":{"uid":"another"}}`}, http.StatusConflict},
		"delete with an old version": {framework.Request{Method: http.MethodDelete, Path: path,
			Body: `{"preconditions":{"resourceVersion":"` + stale.ResourceVersion + `"}}`}, http.StatusConflict},
		"update of an object that is not": {framework.Request{Method: http.MethodPut, Path: path + "-not",
			Body: strings.ReplaceAll(body("1", ""), `"raced"`, `"raced-not"`)}, http.StatusNotFound},
		"a name that differs from the path": {framework.Request{Method: http.MethodPut, Path: path + "-not",
			Body: body("1", "")}, http.StatusBadRequest},
	} {
		answer := framework.Do(t, u.Config, tc.request)
		assert.Equal(t, tc.code, answer.Code, "%s: %s", name, answer.Body)
	}
	require.Equal(t, fresh.ResourceVersion, got(t, u, "raced").ResourceVersion)
	require.NoError(t, u.Domains().Delete(t.Context(), "raced", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &fresh.UID,
		ResourceVersion: &fresh.ResourceVersion}}))
}
