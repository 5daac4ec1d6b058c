// SPDX-License-Identifier: Apache-2.0

package options

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"

	"roadstead.dev/roadstead/pkg/apiserver"
)

// TestAudit_BlockedLog serves requests while no process reads the standard output with the audit
// log.
func TestAudit_BlockedLog(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"), 0o600))
	stdout := os.Stdout
	unread, pipe, err := os.Pipe()
	require.NoError(t, err)
	os.Stdout = pipe
	t.Cleanup(func() { os.Stdout = stdout })

	options, flags := newAudit(), pflag.NewFlagSet("", pflag.ContinueOnError)
	options.AddFlags(flags)
	require.NoError(t, flags.Parse([]string{"--audit-policy-file=" + policy, "--audit-log-path=-", "--audit-log-truncate-enabled"}))
	require.Empty(t, options.Validate())
	config := genericapiserver.NewConfig(apiserver.Codecs)
	require.NoError(t, options.ApplyTo(config))
	require.NoError(t, config.AuditBackend.Run(t.Context().Done()))
	t.Cleanup(func() {
		go func() { _, _ = io.Copy(io.Discard, unread) }()
		config.AuditBackend.Shutdown()
		_ = pipe.Close()
	})

	handler := http.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	handler = genericapifilters.WithAudit(handler, config.AuditBackend, config.AuditPolicyRuleEvaluator, nil)
	handler = genericapifilters.WithAuditInit(handler)
	info := &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create", APIGroup: "takaro.roadstead.dev", Resource: "domains"}
	ctx := genericapirequest.WithRequestInfo(t.Context(), info)
	ctx = genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: strings.Repeat("x", 1000)})
	served := make(chan struct{})
	go func() {
		defer close(served)
		for range 3 * auditBuffer {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil).WithContext(ctx))
		}
	}()
	select {
	case <-served:
	case <-time.After(time.Minute):
		t.Fatal("requests wait for the audit log")
	}
	const metric = "apiserver_audit_error_total"
	dropped, err := testutil.GetCounterValuesFromGatherer(legacyregistry.DefaultGatherer, metric, map[string]string{}, "plugin")
	require.NoError(t, err)
	require.Positive(t, dropped["buffered"], "what is dropped is counted")
}
