// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"fmt"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	release "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	takaro "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// WebhookPath is the path of the webhook.
const WebhookPath = "/validate"

// WebhookOptions configure the webhook.
type WebhookOptions struct {
	// Port serves reviews over HTTPS on loopback, with tls.crt and tls.key of CertDir.
	Port    int
	CertDir string
	// HealthAddress ("host:port") serves /readyz, which succeeds when the caches are synced.
	// ProfileAddress serves net/http/pprof.
	HealthAddress, ProfileAddress string
}

// RunWebhook runs the webhook until ctx is done, built as operator frameworks do: with typed
// objects from informers with indexes. The client configuration needs permission to list and watch
// the peer's kinds.
func RunWebhook(ctx context.Context, config *rest.Config, options WebhookOptions) error {
	ctrl.SetLogger(klog.Background())
	scheme := runtime.NewScheme()
	register(scheme, takaroGroup, &takaro.Domain{}, &takaro.DomainList{}, &takaro.User{}, &takaro.UserList{})
	register(scheme, releaseGroup, &release.CRDSchema{}, &release.CRDSchemaList{})
	hooks := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: options.Port, CertDir: options.CertDir})
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, WebhookServer: hooks, Metrics: server.Options{BindAddress: "0"},
		HealthProbeBindAddress: options.HealthAddress, PprofBindAddress: options.ProfileAddress,
	})
	if err != nil {
		return fmt.Errorf("peer: webhook: %w", err)
	}
	if err := index(ctx, manager.GetFieldIndexer()); err != nil {
		return fmt.Errorf("peer: webhook: %w", err)
	}
	for _, object := range []client.Object{&takaro.Domain{}, &takaro.User{}, &release.CRDSchema{}} {
		if _, err := manager.GetCache().GetInformer(ctx, object); err != nil {
			return fmt.Errorf("peer: webhook: informer: %w", err)
		}
	}
	// The manager starts the server only if GetWebhookServer was called.
	manager.GetWebhookServer().Register(WebhookPath, &webhook.Admission{Handler: &validator{reader: manager.GetClient(),
		decoder: admission.NewDecoder(scheme)}})
	err = manager.AddReadyzCheck("ready", func(request *http.Request) error {
		bound, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !manager.GetCache().WaitForCacheSync(bound) {
			return fmt.Errorf("the informers are not filled yet")
		}
		return hooks.StartedChecker()(request)
	})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}

// register registers Roadstead's types in a scheme as those of the peer.
func register(scheme *runtime.Scheme, group string, objects ...runtime.Object) {
	version := schema.GroupVersion{Group: group + Suffix, Version: Version}
	scheme.AddKnownTypes(version, objects...)
	metav1.AddToGroupVersion(scheme, version)
}
