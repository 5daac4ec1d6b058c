// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
)

// DomainsPath returns the path of the Domains of a namespace.
func DomainsPath(namespace string) string {
	return "/apis/takaro.roadstead.dev/v1alpha1/namespaces/" + namespace + "/domains"
}

// Request is one HTTP request to the cluster.
type Request struct {
	Method, Path, Accept, ContentType, Body string
}

// Answer is an HTTP response.
type Answer struct {
	Code   int
	Header http.Header
	Body   []byte
}

// Do sends a request, by default a GET that accepts JSON, and fails the test if there is no
// response.
func Do(t *testing.T, config *rest.Config, r Request) Answer {
	t.Helper()
	answer, err := Try(t.Context(), config, r)
	require.NoError(t, err)
	return answer
}

// Try sends a request, by default a GET that accepts JSON. It returns an error only if the
// connection fails.
func Try(ctx context.Context, config *rest.Config, r Request) (Answer, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return Answer{}, err
	}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, config.Host+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return Answer{}, err
	}
	if r.Accept != "" {
		request.Header.Set("Accept", r.Accept)
	}
	if r.ContentType == "" && r.Body != "" {
		r.ContentType = "application/json"
	}
	if r.ContentType != "" {
		request.Header.Set("Content-Type", r.ContentType)
	}
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return Answer{Code: response.StatusCode, Header: response.Header, Body: body}, err
}

// Decode decodes a JSON body and requires a success code.
func (a Answer) Decode(t *testing.T, into any) {
	t.Helper()
	require.Less(t, a.Code, 300, "%s", a.Body)
	require.NoError(t, json.Unmarshal(a.Body, into), "%s", a.Body)
}

// Status decodes the body of a failed request and requires its code.
func (a Answer) Status(t *testing.T, code int) metav1.Status {
	t.Helper()
	require.Equal(t, code, a.Code, "%s", a.Body)
	var status metav1.Status
	require.NoError(t, json.Unmarshal(a.Body, &status), "%s", a.Body)
	require.Equal(t, "Status", status.Kind)
	return status
}

// ClientFor returns a typed client for Roadstead's APIs.
func ClientFor(t *testing.T, config *rest.Config) versioned.Interface {
	t.Helper()
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	return client
}
