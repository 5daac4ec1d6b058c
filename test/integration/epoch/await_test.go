// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// refusal returns the response of an API server to a request for a stored Domain, and an error
// unless the server refuses its store in the given state.
func refusal(ctx context.Context, one replica, state string) (string, error) {
	config := env.Direct(one.Address())
	answer, err := framework.Try(ctx, config, framework.Request{Path: framework.DomainsPath(namespace) + "/" + kept[0]})
	if err != nil {
		return "", err
	}
	if answer.Code != http.StatusServiceUnavailable || !strings.Contains(string(answer.Body), state) {
		return "", fmt.Errorf("%s answers %d: %s", one.Name(), answer.Code, answer.Body)
	}
	metrics, err := framework.Try(ctx, config, framework.Request{Path: "/metrics", Accept: "text/plain"})
	if err != nil {
		return "", err
	}
	if series := fmt.Sprintf("roadstead_store_identity_state{state=%q} 1", state); !strings.Contains(string(metrics.Body), series) {
		return "", fmt.Errorf("%s does not report %s", one.Name(), series)
	}
	return string(answer.Body), nil
}

// awaitRefused waits until an API server refuses its store.
func awaitRefused(t *testing.T, one replica, state string) {
	t.Helper()
	framework.Await(t, one.Name()+" refuses its store: "+state, func() error {
		_, err := refusal(t.Context(), one, state)
		return err
	})
}

// awaitExit waits until the process before is replaced by another one.
func awaitExit(t *testing.T, one replica, before int) {
	t.Helper()
	framework.Await(t, "the exit of "+one.Name(), func() error {
		if one.PID() == before {
			return fmt.Errorf("process %d still runs", before)
		}
		return nil
	})
}

// awaitServed waits until the API servers are ready and serve requests, directly and through the
// aggregation layer.
func awaitServed(t *testing.T, all []replica) {
	t.Helper()
	configs := map[string]string{}
	for _, one := range all {
		configs[one.Name()] = one.Address()
		framework.Await(t, "readiness of "+one.Name(), func() error { return install.Ready(t.Context(), one.Address()) })
	}
	request := framework.Request{Path: framework.DomainsPath(namespace)}
	for name, address := range configs {
		framework.Await(t, name+" to serve", func() error {
			answer, err := framework.Try(t.Context(), env.Direct(address), request)
			return unlessOK(answer, err)
		})
	}
	framework.Await(t, "the cluster to serve Domains", func() error {
		answer, err := framework.Try(t.Context(), env.Cluster.AdminConfig(), request)
		return unlessOK(answer, err)
	})
}

func unlessOK(answer framework.Answer, err error) error {
	if err == nil && answer.Code != http.StatusOK {
		err = fmt.Errorf("%d: %s", answer.Code, answer.Body)
	}
	return err
}

// requireOutOfService requires that a check of an API server fails and that the Service does not
// route requests to it.
func requireOutOfService(t *testing.T, one replica, check string) {
	t.Helper()
	health := framework.Do(t, env.Direct(one.Address()), framework.Request{Path: "/readyz?verbose", Accept: "text/plain"})
	require.Contains(t, string(health.Body), "[-]"+check+" failed")
	require.Error(t, install.Ready(t.Context(), one.Address()))
	framework.Await(t, "the Service to leave "+one.Name(), func() error {
		if slices.Contains(service.Ready(), one.Address()) {
			return errors.New("it leads to it")
		}
		return nil
	})
}

// awaitEvent waits for an event in the namespace of the installation in addition to the earlier
// events with the same reason.
func awaitEvent(t *testing.T, reason string, after int) {
	t.Helper()
	framework.Await(t, "event "+reason, func() error {
		if found := events(t, reason); found <= after {
			return fmt.Errorf("there are %d", found)
		}
		return nil
	})
}

// events counts the events of a reason.
func events(t *testing.T, reason string) int {
	t.Helper()
	list, err := env.Admin.CoreV1().Events(install.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=" + reason})
	require.NoError(t, err)
	count := 0
	for i := range list.Items {
		count += max(1, int(list.Items[i].Count))
	}
	return count
}
