// SPDX-License-Identifier: Apache-2.0

//go:build integration

package monitoring

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// sample is one series with its value.
type sample struct {
	series labels.Labels
	value  float64
}

// scraper scrapes the metrics of the programs and of kube-apiserver as the shipped ServiceMonitors
// specify.
type scraper struct {
	targets []target
}

type target struct {
	url         string
	client      *http.Client
	token       string
	labels      map[string]string
	honorLabels bool
}

func newScraper(t *testing.T) *scraper {
	t.Helper()
	ours := monitors(t)
	return &scraper{targets: []target{
		kubeAPIServer(t),
		follow(t, ours[install.APIServer], env.Roadstead.APIServerAddr()),
		follow(t, ours[install.Controller], env.Roadstead.Controller().Address()),
	}}
}

// kubeAPIServer returns the target of kube-apiserver, which is scraped by the cluster's own
// configuration.
func kubeAPIServer(t *testing.T) target {
	t.Helper()
	config := env.Cluster.AdminConfig()
	ca, err := os.ReadFile(env.Cluster.CA())
	require.NoError(t, err)
	token, err := env.Cluster.ServiceAccountToken(t.Context(), install.Namespace, "roadstead-metrics", time.Hour)
	require.NoError(t, err)
	return target{url: config.Host + "/metrics", client: trusting(t, ca, ""), token: token, labels: map[string]string{"job": "apiserver",
		"instance": env.Cluster.Addr()}}
}

// follow returns the target for an address that a ServiceMonitor specifies, including the contents
// of the Secrets that it names.
func follow(t *testing.T, monitor monitoringv1.ServiceMonitor, address string) target {
	t.Helper()
	endpoint := monitor.Spec.Endpoints[0]
	made := target{client: http.DefaultClient, honorLabels: endpoint.HonorLabels, url: fmt.Sprintf("%s://%s%s",
		endpoint.Scheme.String(), address, endpoint.Path),
		labels: map[string]string{"job": *endpoint.RelabelConfigs[0].Replacement, "instance": address, "namespace": monitor.Namespace}}
	if endpoint.TLSConfig != nil {
		made.client = trusting(t, secret(t, monitor.Namespace, endpoint.TLSConfig.CA.Secret.Name, endpoint.TLSConfig.CA.Secret.Key),
			*endpoint.TLSConfig.ServerName)
	}
	if endpoint.Authorization != nil {
		made.token = string(secret(t, monitor.Namespace, endpoint.Authorization.Credentials.Name, endpoint.Authorization.Credentials.Key))
	}
	return made
}

// secret waits for a key of a Secret, because the cluster adds tokens asynchronously.
func secret(t *testing.T, namespace, name, key string) (value []byte) {
	t.Helper()
	framework.Await(t, "Secret "+name, func() error {
		found, err := env.Admin.CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err == nil && len(found.Data[key]) == 0 {
			err = fmt.Errorf("it has no %s yet", key)
		}
		if err == nil {
			value = found.Data[key]
		}
		return err
	})
	return value
}

func trusting(t *testing.T, ca []byte, serverName string) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(ca))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: serverName}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// scrape scrapes all targets once, and adds the metric up for each, as Prometheus does.
func (s *scraper) scrape(ctx context.Context) ([]sample, error) {
	var all []sample
	for _, from := range s.targets {
		found, err := from.scrape(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from.url, err)
		}
		up := labels.FromMap(from.labels)
		all = append(append(all, found...), sample{series: labels.NewBuilder(up).Set(model.MetricNameLabel, "up").Labels(), value: 1})
	}
	return all, nil
}

func (o target) scrape(ctx context.Context) ([]sample, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url, nil)
	if err != nil {
		return nil, err
	}
	if o.token != "" {
		request.Header.Set("Authorization", "Bearer "+o.token)
	}
	answer, err := o.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s", answer.StatusCode, body)
	}
	return o.parse(body)
}

func (o target) parse(body []byte) ([]sample, error) {
	var all []sample
	for lines := textparse.NewPromParser(body, labels.NewSymbolTable(), false); ; {
		entry, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var series labels.Labels
		lines.Labels(&series)
		_, _, value := lines.Series()
		all = append(all, sample{series: o.labelled(series), value: value})
	}
}

// labelled adds the labels of a target to a series as Prometheus does.
func (o target) labelled(series labels.Labels) labels.Labels {
	builder := labels.NewBuilder(series)
	for name, value := range o.labels {
		if own := series.Get(name); own != "" {
			if o.honorLabels {
				continue
			}
			builder.Set("exported_"+name, own)
		}
		builder.Set(name, value)
	}
	return builder.Labels()
}
