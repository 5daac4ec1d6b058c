// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

const (
	slowClients = 100
	slowGroup   = "slow-senders"
)

// TestGuard_AnswersUnderSlowClients verifies that the guard responds within the timeoutSeconds of
// its webhook while many callers send large bodies slowly, through kube-apiserver and directly.
// With failurePolicy Ignore a late response lets the change pass, so a rejection proves a timely
// response.
func TestGuard_AnswersUnderSlowClients(t *testing.T) {
	guarded(t)
	_, err := env.Admin.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: env.Name("slow")},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "roadstead:release-operator"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: slowGroup}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)

	d := large(env.Name("x")+".slow.example.com", 900<<10)
	kubectl(t, manifestOf(t, d), "apply", "--server-side", "-f", "-")
	breaking := large(d.Spec.Group, 3<<20-200_000)
	delete(breaking.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties, "pool0")
	change := manifestOf(t, breaking)
	require.Greater(t, len(change), 5<<19)

	for _, resource := range []string{"compatibilityreviews", "crdschemas"} {
		t.Run(resource, func(t *testing.T) {
			sendSlowly(t, resource)
			for range 3 {
				begin := time.Now()
				printed := refused(t, change, "apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-")
				t.Logf("the guard refused after %s, and kube-apiserver's own part is in that", time.Since(begin))
				assert.Contains(t, printed, "roadstead.dev/allow-change")
			}
		})
	}
}

// TestGuard_IsExemptFromPriorityAndFairness verifies that requests of kube-apiserver, which is a
// member of system:masters, are never queued, and that large bodies of users have a separate
// priority level.
func TestGuard_IsExemptFromPriorityAndFairness(t *testing.T) {
	for _, tc := range []struct {
		resource, schema string
		user             rest.ImpersonationConfig
	}{
		{"crdguard", "exempt", rest.ImpersonationConfig{}},
		{"compatibilityreviews", "roadstead-large-bodies", rest.ImpersonationConfig{UserName: "somebody"}},
		{"crdschemas", "roadstead-large-bodies", rest.ImpersonationConfig{UserName: "somebody"}},
	} {
		schema, err := env.Admin.FlowcontrolV1().FlowSchemas().Get(t.Context(), tc.schema, metav1.GetOptions{})
		require.NoError(t, err)
		config := direct(env.Cluster.AdminConfig())
		config.Impersonate = tc.user
		path := "/apis/release.roadstead.dev/v1alpha1/" + tc.resource
		answer := framework.Do(t, config, framework.Request{Method: http.MethodPost, Path: path, Body: "{}"})
		assert.Equal(t, string(schema.UID), answer.Header.Get("X-Kubernetes-Pf-Flowschema-Uid"), tc.resource)
	}
}

// manifestOf returns the JSON of a CRD as kubectl applies it.
func manifestOf(t *testing.T, d *apiextensionsv1.CustomResourceDefinition) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": d.Name}, "spec": d.Spec,
	})
	require.NoError(t, err)
	return string(text)
}

// sendSlowly starts clients that send large bodies slowly until the end of the test, each as a
// different user and half of them bypassing kube-apiserver. It returns when the server reads more
// of them than it serves concurrently as large requests.
func sendSlowly(t *testing.T, resource string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		clients.Wait()
	})
	var sending sync.Map
	for i := range slowClients {
		config := env.Cluster.AdminConfig()
		if i%2 == 0 {
			config = direct(config)
		}
		config.Impersonate = rest.ImpersonationConfig{UserName: fmt.Sprintf("slow-%d", i), Groups: []string{slowGroup}}
		client, err := rest.HTTPClientFor(config)
		require.NoError(t, err)
		clients.Go(func() {
			for ctx.Err() == nil {
				drip(t, ctx, client, config.Host+"/apis/release.roadstead.dev/v1alpha1/"+resource, func() { sending.Store(i, true) })
			}
		})
	}
	framework.Await(t, "slow bodies", func() error {
		begun := 0
		sending.Range(func(any, any) bool { begun++; return true })
		if begun < slowClients/4 {
			return fmt.Errorf("%d clients send", begun)
		}
		return nil
	})
}

// drip sends one request slowly, a CRD of 3 MB in about five minutes, and calls begun when part of
// it was sent. The body ends when ctx is done. A rejected client waits for the time that the
// response specifies.
func drip(t *testing.T, ctx context.Context, client *http.Client, url string, begun func()) {
	reader, writer := io.Pipe()
	defer func() { _ = reader.Close() }()
	go func() {
		defer func() { _ = writer.Close() }()
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		part := bytes.Repeat([]byte(" "), 1<<10)
		for sent := 0; ctx.Err() == nil; sent++ {
			if _, err := writer.Write(part); err != nil {
				return
			}
			if sent == 2 {
				begun()
			}
			<-ticker.C
		}
	}()
	request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, url, reader)
	if !assert.NoError(t, err) {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if !assert.NoError(t, err) {
		return
	}
	_ = response.Body.Close()
	assert.GreaterOrEqual(t, response.StatusCode, 400)
	assert.Less(t, response.StatusCode, 500)
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
	}
}
