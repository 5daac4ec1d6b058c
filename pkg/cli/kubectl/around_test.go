// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const apiServiceManifests = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.toys.roadstead.dev}
spec: {group: toys.roadstead.dev, version: v1, service: {name: the-server, namespace: system, port: 6443}}
status: {conditions: [{type: Available, status: "False", reason: MissingEndpoints, message: "endpoints have no addresses",
  lastTransitionTime: "2026-03-01T11:59:00Z"}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.other.example.com}
spec: {group: other.example.com, version: v1, service: {name: other, namespace: system}}
status: {conditions: [{type: Available, status: "False", reason: MissingEndpoints, message: "not ours"}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v2.toys.roadstead.dev}
spec: {group: toys.roadstead.dev, version: v2, service: {name: the-server, namespace: system, port: 6443}}
`

func TestAPIServicesThatAreNotAvailable(t *testing.T) {
	found := newWorld(t, apiServiceManifests).report()
	assert.Equal(t, []string{
		"KIND/NAME REASON MESSAGE",
		"APIService/v1.toys.roadstead.dev MissingEndpoints endpoints have no addresses; its kinds cannot be queried until it is available",
		"APIService/v2.toys.roadstead.dev NoStatus its availability has not been checked yet; its kinds cannot be queried until it " +
			"is available",
	}, table(found, false))
}

func TestServer_ReadyzOnce(t *testing.T) {
	w := newWorld(t, apiServiceManifests)
	var asked []string
	w.cluster.get = func(_ context.Context, path string) ([]byte, error) {
		asked = append(asked, path)
		return []byte("[+]ping ok\n[-]etcd failed: reason withheld\n[-]store-identity failed: reason withheld\nreadyz check failed\n"),
			errors.New("500")
	}
	found := w.report()
	assert.Equal(t, []string{"/api/v1/namespaces/system/services/https:the-server:6443/proxy/readyz"}, asked)
	assert.Contains(t, table(found, false),
		"Service/the-server NotReady its server is not ready: its checks failed: etcd, store-identity; see the log of the server")
}

func TestServer_DiscoveryErrors(t *testing.T) {
	w := newWorld(t, "")
	w.refuse("list", "apiservices", errors.New("forbidden"))
	w.discovery.Resources = served[:1]
	w.discovery.failed = map[schema.GroupVersion]error{
		{Group: "toys.roadstead.dev", Version: "v1"}:  errors.New("stale GroupVersion discovery"),
		{Group: "metrics.example.com", Version: "v1"}: errors.New("not ours"),
	}
	code, out, problems := w.run("status", "realm/any")
	assert.Equal(t, exitUnusable, code)
	assert.Contains(t, out, "APIService/v1.toys.roadstead.dev   Unavailable   its server does not respond: stale GroupVersion discovery")
	assert.NotContains(t, out, "metrics")
	assert.Equal(t, "Could not be checked: the kinds of toys.roadstead.dev/v1: its server does not respond\n", problems)
}

const withSecrets = `
apiVersion: toys.roadstead.dev/v1
kind: Realm
metadata: {name: fine, generation: 1}
spec: {tokenSecretRef: {name: token}, otherSecretRef: {name: elsewhere, namespace: other}}
status:
  rootSecretRef: {name: fine-root}
  conditions:
  - {type: Ready, status: "True", reason: AsSpecified, message: ok}
  - {type: Root, status: "False", reason: PasswordLost, message: "Secret \"fine-root\" is lost"}
---
apiVersion: toys.roadstead.dev/v1
kind: Realm
metadata: {name: broken, generation: 1}
spec: {tokenSecretRef: {name: absent}}
status: {conditions: [{type: Ready, status: "False", reason: SecretNotFound, message: "Secret \"absent\" is not there"}]}
`

func TestSecretsThatAreMissing(t *testing.T) {
	found := newWorld(t, withSecrets).report()
	assert.Equal(t, []string{
		"KIND/NAME REASON MESSAGE",
		`Realm/broken SecretNotFound Secret "absent" is not there`,
		`Realm/fine SecretMissing Secret "token", which spec.tokenSecretRef references, does not exist`,
		`Realm/fine PasswordLost Secret "fine-root" is lost`,
	}, table(found, false))

	there := newWorld(t, withSecrets+"---\n{apiVersion: v1, kind: Secret, metadata: {name: token}}\n---\n{apiVersion: v1, kind: "+
		"Secret, metadata: {name: fine-root}}\n").report()
	assert.Len(t, there.Findings, 1)
	assert.Equal(t, []string{`Realm/fine is ready, but Root is not: PasswordLost: Secret "fine-root" is lost`}, there.Notes)

	w := newWorld(t, withSecrets)
	w.refuse("list", "secrets", apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "", errors.New("no rule")))
	found = w.report("realm/broken")
	assert.Len(t, found.Findings, 1)
	assert.Equal(t, []string{"missing Secrets were not checked: you may not list Secrets, or there are too many"}, found.Notes)
}

const silentWithEvents = `
apiVersion: toys.roadstead.dev/v1
kind: Gadget
metadata: {name: silent}
---
{apiVersion: v1, kind: Event, metadata: {name: a}, type: Warning, reason: Early, message: first, lastTimestamp: "2026-03-01T11:51:00Z",
  involvedObject: {kind: Gadget, name: silent, uid: gadget-silent}}
---
{apiVersion: v1, kind: Event, metadata: {name: b}, type: Warning, reason: Late, message: "second\nline",
  eventTime: "2026-03-01T11:58:00.000000Z", involvedObject: {kind: Gadget, name: silent, uid: gadget-silent}}
---
{apiVersion: v1, kind: Event, metadata: {name: c}, type: Warning, reason: Other, message: third, lastTimestamp: "2026-03-01T11:59:00Z",
  involvedObject: {kind: Gadget, name: silent, uid: an-earlier-one}}
`

func TestStatus_EventsOfObjectsWithoutMessage(t *testing.T) {
	found := newWorld(t, silentWithEvents).report()
	assert.Len(t, found.Findings, 1)
	assert.Contains(t, found.Findings[0].Message, "; last warning, 2m ago: Late: second line")
	w := newWorld(t, silentWithEvents)
	w.refuse("list", "events", errors.New("forbidden"))
	assert.NotContains(t, w.report().Findings[0].Message, "last warning")
}

func TestExplain(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	for want, err := range map[string]error{
		"an administrator of the cluster can":   apierrors.NewForbidden(secrets, "x", errors.New(`User "x" cannot get resource "secrets"`)),
		"they may have expired":                 apierrors.NewUnauthorized("no"),
		"run: kubectl roadstead status":         apierrors.NewServiceUnavailable("away"),
		"to wait longer, set --request-timeout": context.DeadlineExceeded,
		"interrupted":                           context.Canceled,
	} {
		assert.Contains(t, explain(err), want)
	}
	assert.Equal(t, "plain", explain(errors.New("plain")))
}
