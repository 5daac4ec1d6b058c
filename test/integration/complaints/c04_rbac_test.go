// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	"roadstead.dev/roadstead/test/integration/framework"
)

// readyLimit is for a server that starts beside everything else.
const readyLimit = 20 * time.Second

// write makes a Domain through a server past the aggregation layer, as a dry run: its store is its own.
func write(t *testing.T, u *framework.User, address string) framework.Answer {
	t.Helper()
	return framework.Do(t, direct(u.Config, address), framework.Request{
		Method: http.MethodPost, Path: framework.DomainsPath(u.Namespace), Body: string(peerDomain(group, 1)),
	})
}

// TestC04ShippedRBACSuffices: with a right too few the informers never sync, and writes wait ten seconds for a 403
// (kapp-controller #1841).
func TestC04ShippedRBACSuffices(t *testing.T) {
	u := editor(t)
	server := further(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit)
	defer cancel()
	require.NoError(t, server.Start(ctx))
	begin := time.Now()
	answer := write(t, u, server.Address())
	require.Equal(t, http.StatusCreated, answer.Code, "%s", answer.Body)
	assert.Less(t, time.Since(begin), 5*time.Second)
	assert.Empty(t, logged(t, server.Log(), "forbidden"))
	assert.Empty(t, logged(t, server.Log(), "Forbidden"))
	assert.Zero(t, metric(t, direct(env.Cluster.AdminConfig(), server.Address()), "roadstead_admission_plugin_dropped", nil))
	require.NoError(t, server.Stop())
}

// TestC04AMissingRightTurnsOnePluginOff, loudly, and the server works without it.
func TestC04AMissingRightTurnsOnePluginOff(t *testing.T) {
	t.Parallel() // it waits for the right most of the time
	u := editor(t)
	server := further(t, func(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "mutatingadmissionpolicies") })
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit+10*time.Second)
	defer cancel()
	require.NoError(t, server.Start(ctx))
	answer := write(t, u, server.Address())
	require.Equal(t, http.StatusCreated, answer.Code, "%s", answer.Body)
	lines := logged(t, server.Log(), "MutatingAdmissionPolicy is off: this server may not list mutatingadmissionpolicies.admissionregistration.k8s.io")
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "apply the ClusterRole roadstead-apiserver")
	assert.NotContains(t, lines[0], `"v":`, "an error has no verbosity")
	off := func(plugin string) float64 {
		return metric(t, direct(env.Cluster.AdminConfig(), server.Address()), "roadstead_admission_plugin_dropped", map[string]string{"plugin": plugin, "reason": "Forbidden"})
	}
	assert.Equal(t, 1., off("MutatingAdmissionPolicy"))
	assert.Zero(t, off("ValidatingAdmissionPolicy"))
	require.NoError(t, server.Stop())
}

// TestC04WhatMustNotBeOffIsAnError: without a right that its own rules need the server does not start, and says which.
func TestC04WhatMustNotBeOffIsAnError(t *testing.T) {
	t.Parallel()
	server := further(t, func(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "namespaces") })
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit+10*time.Second)
	defer cancel()
	require.ErrorContains(t, server.Start(ctx), "NamespaceLifecycle cannot be off, but this server may not get namespaces, list namespaces, watch namespaces")
}
