// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
)

// AwaitAvailable returns when the cluster serves all API groups of Roadstead and their schemas. The
// aggregation layer fetches the schemas one or two seconds after the server is available, and
// "kubectl explain" works from then on.
func (i *Installation) AwaitAvailable(ctx context.Context) error {
	client, err := aggregator.NewForConfig(i.opts.Cluster.AdminConfig())
	if err != nil {
		return err
	}
	server := i.APIServer()
	return server.await(ctx, server.current(), "available", func(ctx context.Context) error {
		for _, name := range i.services {
			service, err := client.ApiregistrationV1().APIServices().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if err := available(service); err != nil {
				return err
			}
			if err := described(ctx, client.Discovery().RESTClient(), service); err != nil {
				return err
			}
		}
		return nil
	})
}

// available returns nil when the aggregation layer reaches the server of an APIService.
func available(service *apiregistration.APIService) error {
	for _, condition := range service.Status.Conditions {
		if condition.Type != apiregistration.Available {
			continue
		}
		if condition.Status == apiregistration.ConditionTrue {
			return nil
		}
		return fmt.Errorf("APIService %s: %s: %s", service.Name, condition.Reason, condition.Message)
	}
	return fmt.Errorf("APIService %s has no condition %s yet", service.Name, apiregistration.Available)
}

// described returns nil when the aggregation layer has the OpenAPI document of an APIService.
func described(ctx context.Context, client rest.Interface, service *apiregistration.APIService) error {
	index, err := client.Get().AbsPath("/openapi/v3").DoRaw(ctx)
	if err != nil {
		return err
	}
	path := fmt.Sprintf("%q", "apis/"+service.Spec.Group+"/"+service.Spec.Version)
	if !bytes.Contains(index, []byte(path)) {
		return fmt.Errorf("the schemas of APIService %s are not in /openapi/v3 yet", service.Name)
	}
	return nil
}

// probe trusts any certificate, as kubelet does for its probes: no secrets are exchanged.
var probe = &http.Client{
	Timeout:   5 * time.Second,
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
}

// Ready runs the readiness probe of the shipped manifests against the roadstead-apiserver at
// address ("host:port"). The error contains the response, or reports that there was none within 5
// seconds.
func Ready(ctx context.Context, address string) error {
	return answersOK("https://" + address + ReadinessPath)(ctx)
}

// answersOK returns a check that succeeds when url responds with status 200.
func answersOK(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := probe.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(io.LimitReader(response.Body, 4<<10))
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s: %s", url, response.Status, body)
		}
		return nil
	}
}
