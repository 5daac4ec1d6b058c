// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// read decodes a manifest with one object, and refuses unknown fields.
func read[T any](t *testing.T, file string) T {
	t.Helper()
	all := readAll[T](t, file)
	require.Len(t, all, 1, file)
	return all[0]
}

// readAll is read for a manifest with several objects of one kind.
func readAll[T any](t *testing.T, file string) []T {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var all []T
	for documents := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text))); ; {
		document := make([]byte, len(text))
		n, err := documents.Read(document)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		var object T
		require.NoError(t, yaml.UnmarshalStrict(document[:n], &object), file)
		all = append(all, object)
	}
}

// monitors returns the shipped ServiceMonitors by name.
func monitors(t *testing.T) map[string]monitoringv1.ServiceMonitor {
	t.Helper()
	byName := map[string]monitoringv1.ServiceMonitor{}
	for _, monitor := range readAll[monitoringv1.ServiceMonitor](t, filepath.Join(shipped, "servicemonitors.yaml")) {
		byName[monitor.Name] = monitor
	}
	require.Len(t, byName, 2)
	return byName
}

// TestTheOperatorKnowsEveryField checks the fields without a cluster, because kubectl would report
// unknown ones only in a cluster with the operator.
func TestTheOperatorKnowsEveryField(t *testing.T) {
	rule := read[monitoringv1.PrometheusRule](t, filepath.Join(shipped, "prometheusrule.yaml"))
	assert.Equal(t, monitoringv1.PrometheusRuleKind, rule.Kind)
	for name, monitor := range monitors(t) {
		assert.Equal(t, monitoringv1.ServiceMonitorsKind, monitor.Kind, name)
		assert.Equal(t, rule.Namespace, monitor.Namespace, name)
		require.Len(t, monitor.Spec.Endpoints, 1, name)
		relabelings := monitor.Spec.Endpoints[0].RelabelConfigs
		require.Len(t, relabelings, 1, name)
		assert.Equal(t, "job", relabelings[0].TargetLabel, name)
		require.NotNil(t, relabelings[0].Replacement, name)
		assert.Equal(t, name, *relabelings[0].Replacement, "the job is called as the program")
	}
}

// TestEachMonitorFindsItsService checks the labels and the name of the port.
func TestEachMonitorFindsItsService(t *testing.T) {
	services := map[string]corev1.Service{
		"roadstead-apiserver":  read[corev1.Service](t, filepath.Join(shipped, "..", "base", "service.yaml")),
		"roadstead-controller": read[corev1.Service](t, filepath.Join(shipped, "service.yaml")),
	}
	for name, monitor := range monitors(t) {
		service := services[name]
		require.NotEmpty(t, monitor.Spec.Selector.MatchLabels, name)
		for key, value := range monitor.Spec.Selector.MatchLabels {
			assert.Equal(t, value, service.Labels[key], name)
		}
		assert.Equal(t, service.Spec.Ports[0].Name, monitor.Spec.Endpoints[0].Port, name)
		assert.Equal(t, service.Namespace, monitor.Namespace, name)
		assert.Equal(t, map[string]string{"app.kubernetes.io/name": name}, service.Spec.Selector, "it leads to the pods of the program")
	}
}
