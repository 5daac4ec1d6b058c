// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// subject consists of the monitored objects: Domains, a CRD under guard, and a Takaro.
type subject struct {
	t         *testing.T
	takaro    *takaro.Server
	namespace string
	// cluster is the UID of the cluster in the record of the store.
	cluster string
}

func newSubject(t *testing.T) *subject {
	t.Helper()
	s := &subject{t: t, takaro: newTakaro(t), namespace: env.Namespace(t)}
	kubectl(t, fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: takaro-admin}\nstringData: {adminToken: %q}\n",
		s.takaro.AdminToken()), "apply", "-n", s.namespace, "-f", "-")
	kubectl(t, fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: monitored, labels: {%s: \"true\"}}\nstringData: {url: "+
		"%s, adminToken: %q}\n",
		endpoint.Label, s.takaro.URL(), s.takaro.AdminToken()), "apply", "-n", install.Namespace, "-f", "-")
	return s
}

const crd = "gadgets.monitoring.example.com"

// definition returns a CustomResourceDefinition whose objects have the fields in their spec.
func definition(fields string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s}
spec:
  group: monitoring.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s}}}}}}
`, crd, fields)
}

// domain returns a Domain with its own credentials, or, with an empty secret, with those of the
// installation.
func (s *subject) domain(name, secret string) string {
	credentials := ""
	if secret != "" {
		credentials = ", credentialsSecretRef: {name: " + secret + "}"
	}
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %s}\nspec: {takaroApiUrl: %s%s}\n", name,
		s.takaro.URL(), credentials)
}

// live performs the usual operations: it creates, changes and deletes Domains, and changes a CRD.
func (s *subject) live() {
	s.t.Helper()
	kubectl(s.t, s.domain("arena", ""), "apply", "-n", s.namespace, "-f", "-")
	kubectl(s.t, s.domain("short", "takaro-admin"), "apply", "-n", s.namespace, "-f", "-")
	kubectl(s.t, "apiVersion: takaro.roadstead.dev/v1alpha1\nkind: User\nmetadata: {name: alice}\nspec: {email: alice@example.com, "+
		"domainRef: {name: arena}}\n", "apply", "-n", s.namespace, "-f", "-")
	kubectl(s.t, "", "wait", "domains.takaro.roadstead.dev,users.takaro.roadstead.dev", "--all", "-n", s.namespace,
		"--for=condition=Ready", "--timeout=60s")
	kubectl(s.t, "", "patch", "domains.takaro.roadstead.dev", "arena", "-n", s.namespace, "--type=merge", "-p",
		`{"spec":{"domainLimits":{"maxUsers":7}}}`)
	kubectl(s.t, "", "delete", "domains.takaro.roadstead.dev", "short", "-n", s.namespace, "--timeout=60s")
	kubectl(s.t, definition("size: {type: string}, color: {type: string}"), "apply", "-f", "-")
	kubectl(s.t, "", "wait", "crd/"+crd, "--for=condition=Established", "--timeout=30s")
	s.seen()
	framework.Await(s.t, "the guard", func() error {
		_, _, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(definition("size: {type: string}"))).
			Run(s.t.Context(), "apply", "--dry-run=server", "-f", "-")
		if err == nil || !strings.Contains(err.Error(), "allow-change") {
			return errNotYet
		}
		return nil
	})
}

// seen waits until the controller has stored a snapshot of the current CRD.
func (s *subject) seen() {
	s.t.Helper()
	framework.Await(s.t, "the snapshot of the definition", func() error {
		seen, _, err := env.Cluster.Kubectl(s.t.Context(), "get", "crdsnapshot", crd, "-o", "jsonpath={.spec.generation}")
		if err != nil {
			return err
		}
		if stored := kubectl(s.t, "", "get", "crd", crd, "-o", "jsonpath={.metadata.generation}"); seen != stored {
			return errNotYet
		}
		return nil
	})
}

// goWrong causes failures: the guard is unavailable while a CRD changes, the Secret of one Domain
// has no token, a webhook does not answer, and Takaro is stopped.
func (s *subject) goWrong() {
	s.t.Helper()
	require.NoError(s.t, env.Roadstead.APIServer().Stop())
	kubectl(s.t, definition("size: {type: string}"), "apply", "-f", "-")
	require.NoError(s.t, env.Roadstead.APIServer().Start(s.t.Context()))
	controller := newScraper(s.t).targets[2]
	awaitOne(s.t, controller, "roadstead_crdguard_missed_total")
	kubectl(s.t, "apiVersion: v1\nkind: Secret\nmetadata: {name: empty}\n", "apply", "-n", s.namespace, "-f", "-")
	kubectl(s.t, s.domain("wrong", "empty"), "apply", "-n", s.namespace, "-f", "-")
	awaitOne(s.t, controller, "roadstead_objects", "kind", "Domain", "phase", "Error")
	s.brokenWebhook()
	s.takaro.Close()
	awaitOne(s.t, controller, "roadstead_takaro_circuit_open", "scope", "installation")
}

// refuse makes the server refuse its store: while the server is stopped, the record is changed to
// that of another cluster. A running server would overwrite the record. The controllers keep
// running because the epoch is the same.
func (s *subject) refuse() {
	s.t.Helper()
	require.NoError(s.t, env.Roadstead.APIServer().Stop())
	s.cluster = s.setCluster("another-cluster")
	require.NoError(s.t, env.Roadstead.APIServer().StartRefusing(s.t.Context()))
	awaitOne(s.t, newScraper(s.t).targets[1], "roadstead_store_identity_state", "state", "ClusterForeign")
}

// brokenWebhook creates a webhook that does not answer, and waits until the server has failed
// because of it.
func (s *subject) brokenWebhook() {
	s.t.Helper()
	kubectl(s.t, `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: broken}
webhooks:
- name: broken.monitoring.example.com
  rules: [{apiGroups: [takaro.roadstead.dev], apiVersions: [v1alpha1], resources: [domains], operations: [CREATE]}]
  clientConfig: {url: "https://127.0.0.1:1/"}
  admissionReviewVersions: [v1]
  sideEffects: None
`, "apply", "-f", "-")
	framework.Await(s.t, "a failure for want of a webhook", func() error {
		_, _, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(s.domain("failing", "takaro-admin"))).
			Run(s.t.Context(), "create", "--dry-run=server", "-n", s.namespace, "-f", "-")
		if err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
			return errNotYet
		}
		return nil
	})
	kubectl(s.t, "", "delete", "validatingwebhookconfiguration", "broken")
}

// comeBack restores the record, so that the server stops without errors.
func (s *subject) comeBack() {
	s.t.Helper()
	s.setCluster(s.cluster)
}

// setCluster writes another UID of the cluster into the record of the store, and returns the
// previous one.
func (s *subject) setCluster(uid string) (previous string) {
	s.t.Helper()
	records := env.Admin.CoreV1().ConfigMaps(install.Namespace)
	record, err := records.Get(s.t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(s.t, err)
	previous = record.Data[storeidentity.ClusterUIDKey]
	record.Data[storeidentity.ClusterUIDKey] = uid
	_, err = records.Update(s.t.Context(), record, metav1.UpdateOptions{})
	require.NoError(s.t, err)
	return previous
}
