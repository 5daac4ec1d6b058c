// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"

// serve starts an API server with the given responses by path, and writes a kubeconfig to the
// current folder.
func serve(t *testing.T, answers map[string]any) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		answer, found := answers[r.URL.Path]
		status, isStatus := answer.(metav1.Status)
		if !found {
			status, isStatus = metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: "not there"}, true
		}
		if isStatus {
			status.TypeMeta, status.Status = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, metav1.StatusFailure
			w.WriteHeader(int(status.Code))
			answer = status
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	lay(t, map[string]string{"kubeconfig": `apiVersion: v1
kind: Config
current-context: one
contexts: [{name: one, context: {cluster: one, user: one}}, {name: gone, context: {cluster: gone, user: one}}]
clusters: [{name: one, cluster: {server: "` + server.URL + `"}}, {name: gone, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: one, user: {}}]
`})
	t.Setenv("KUBECONFIG", "kubeconfig")
}

// stored returns a CRD as stored in a cluster.
func stored(t *testing.T, edits ...func(*apiextensionsv1.CustomResourceDefinition)) *apiextensionsv1.CustomResourceDefinition {
	live := definition(t, widgets())
	live.UID, live.ResourceVersion = "1", "1"
	live.Status = apiextensionsv1.CustomResourceDefinitionStatus{
		AcceptedNames: live.Spec.Names, StoredVersions: []string{"v1"},
		Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established,
			Status: apiextensionsv1.ConditionTrue}},
	}
	for _, edit := range edits {
		edit(live)
	}
	return live
}

func objects(items ...map[string]any) map[string]any {
	return map[string]any{"apiVersion": "example.com/v1", "kind": "WidgetList", "metadata": map[string]any{"resourceVersion": "9"},
		"items": items}
}

func object(name, size string) map[string]any {
	return map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": name, "namespace": "shop", "uid": name, "resourceVersion": "1"}, "spec": map[string]any{"size": size},
	}
}

var serverVersion = map[string]string{"major": "1", "minor": "36", "gitVersion": "v1.36.1"}

func TestAgainstACluster(t *testing.T) {
	injected := func(live *apiextensionsv1.CustomResourceDefinition) {
		live.Spec.Conversion = definition(t, manifest("widgets", "example.com", "", conversion)).Spec.Conversion
		live.Spec.Conversion.Webhook.ClientConfig.CABundle = []byte("x")
		live.ManagedFields = []metav1.ManagedFieldsEntry{
			{Manager: "helm", Operation: "Apply", APIVersion: "apiextensions.k8s.io/v1",
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:conversion":{"f:strategy":{}}}}`)},
			{Manager: "cainjector", Operation: "Update", APIVersion: "apiextensions.k8s.io/v1",
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:conversion":{"f:webhook":{"f:clientConfig":{"f:caBundle":{}}}}}}`)},
		}
	}
	labelled := func(version string) func(*apiextensionsv1.CustomResourceDefinition) {
		return func(live *apiextensionsv1.CustomResourceDefinition) {
			live.Labels = map[string]string{"app.kubernetes.io/version": version}
		}
	}
	owned := func(live *apiextensionsv1.CustomResourceDefinition) {
		live.Annotations = map[string]string{"meta.helm.sh/release-name": "op", "meta.helm.sh/release-namespace": "ops"}
	}
	older := manifest("widgets", "example.com", "  labels: {app.kubernetes.io/version: v1.2.0}\n", "")
	for name, test := range map[string]struct {
		live  *apiextensionsv1.CustomResourceDefinition
		input string
		want  int
		shows []string
		not   string
	}{
		"the same":  {live: stored(t), input: widgets(), shows: []string{"OK  widgets.example.com: no action required"}},
		"not there": {input: widgets(), shows: []string{"widgets.example.com does not exist in the cluster yet"}},
		"owned by a release": {live: stored(t, owned), input: widgets(),
			shows: []string{"belongs to the Helm release op in namespace ops"}},
		"newer in the cluster":      {live: stored(t, labelled("1.10.0")), input: older, want: 2, shows: []string{"CRD-S04", "1.10.0"}},
		"older in the cluster":      {live: stored(t, labelled("v1.1.9")), input: older, not: "CRD-S04"},
		"no version in the cluster": {live: stored(t, labelled("latest")), input: older, not: "CRD-S04"},
		"a caBundle of another":     {live: stored(t, injected), input: widgets(), want: 2, shows: []string{"CRD-S08", "owned by cainjector"}},
	} {
		t.Run(name, func(t *testing.T) {
			inputs(t)
			lay(t, map[string]string{"input.yaml": test.input})
			answers := map[string]any{"/version": serverVersion}
			if test.live != nil {
				answers[definitionsPath+"widgets.example.com"] = test.live
			}
			serve(t, answers)
			code, stdout, stderr := execute(t, "", "--live", "--no-objects", "input.yaml")
			require.Empty(t, stderr)
			text := strings.Join(strings.Fields(stdout), " ")
			for _, part := range test.shows {
				assert.Contains(t, text, strings.Join(strings.Fields(part), " "))
			}
			if test.not != "" {
				assert.NotContains(t, text, test.not)
			}
			if test.want != 0 {
				assert.Equal(t, test.want, code)
			}
		})
	}
}

func TestLiveObjectsAreReplayed(t *testing.T) {
	inputs(t)
	serve(t, map[string]any{
		"/version": serverVersion, definitionsPath + "widgets.example.com": stored(t),
		"/apis/example.com/v1/widgets": objects(object("cart", "very large"), object("search", "s")),
	})
	lay(t, map[string]string{"new.yaml": strings.Replace(widgets(), "size: {type: string}", "size: {type: string, maxLength: 3}", 1)})
	code, stdout, stderr := execute(t, "", "--live", "new.yaml", "-o", "json")
	require.Empty(t, stderr)
	assert.Equal(t, exitBreaks, code)
	var report rules.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	seen := false
	for _, finding := range report.Findings {
		if finding.Evidence == rules.Live && finding.LiveCount == 1 {
			seen = true
			assert.Equal(t, []string{"shop/cart"}, finding.SampleObjects)
		}
	}
	assert.True(t, seen, stdout)

	code, stdout, stderr = execute(t, "", "--live", "widgets.yaml", "--live-budget", "5s")
	require.Empty(t, stderr)
	assert.Equal(t, exitFine, code, stdout)
}

func TestShowDigest_WithGenerationOfCluster(t *testing.T) {
	inputs(t)
	seventh := func(live *apiextensionsv1.CustomResourceDefinition) { live.Generation = 7 }
	serve(t, map[string]any{"/version": serverVersion, definitionsPath + "widgets.example.com": stored(t, seventh)})
	changed := strings.Replace(widgets(), "size: {type: string}", "size: {type: string, maxLength: 3}", 1)
	lay(t, map[string]string{"new.yaml": changed})
	_, stdout, stderr := execute(t, "", "--live", "--no-objects", "--show-digest", "new.yaml")
	require.Empty(t, stderr)
	digest := compare.Digest(definition(t, widgets()), definition(t, changed))
	assert.Contains(t, stdout, "  kubectl annotate crd widgets.example.com --overwrite roadstead.dev/allow-change="+digest+"@7\n")
}

func TestUnusableClusters(t *testing.T) {
	inputs(t)
	forbidden := metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "you may not"}
	serve(t, map[string]any{"/version": serverVersion, definitionsPath + "widgets.example.com": forbidden})
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"forbidden": {args: []string{"widgets.yaml"},
			want: "--live: cannot read widgets.example.com from the cluster at http://127.0.0.1:"},
		"nobody answers":      {args: []string{"widgets.yaml", "--context", "gone"}, want: "get the version of the cluster at"},
		"no such context":     {args: []string{"widgets.yaml", "--context", "none"}, want: `context "none" does not exist`},
		"no definition in it": {args: []string{"empty.tgz"}, want: "empty.tgz: contains no CustomResourceDefinition"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := execute(t, "", append(test.args, "--live")...)
			assert.Equal(t, exitUnusable, code)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, test.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
}
