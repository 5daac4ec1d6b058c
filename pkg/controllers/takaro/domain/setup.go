// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"strings"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/secrets/inuse"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
)

// secretIndex indexes Domains by the names of the Secrets in their specs.
const secretIndex = "spec.secretNames"

// Setup adds the controller of Domains to a manager.
func Setup(ctx context.Context, mgr ctrl.Manager, shared parts.Shared) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.Domain{}, secretIndex, func(object client.Object) []string {
		return secretNames(object.(*v1alpha1.Domain))
	}); err != nil {
		return err
	}
	r := &reconciler{
		Parts:    parts.Of(mgr, shared, statusKind),
		observer: newObserver(clock.RealClock{}),
	}
	comparer := &watch{reconciler: r}
	if err := mgr.Add(comparer); err != nil {
		return err
	}
	shared.Keeper.OnChange(func(_ context.Context, users takaroendpoint.Users) {
		for _, domain := range users.Domains {
			comparer.Queue.Add(domain)
		}
	})
	return r.Controller(mgr, "takaro-domain", base.DomainTimeout, &v1alpha1.Domain{}).
		Watches(secrets.Metadata(), handler.EnqueueRequestsFromMapFunc(r.domainsOf(shared.Namespace)), builder.OnlyMetadata).
		Watches(&v1alpha1.User{}, handler.EnqueueRequestsFromMapFunc(userDependents.requests), builder.WithPredicates(userCounts)).
		Watches(&v1alpha1.MockServer{}, handler.EnqueueRequestsFromMapFunc(mockServerDependents.requests),
			builder.WithPredicates(mockServerCounts)).
		Watches(&v1alpha1.TakaroEndpoint{}, r.holdChanged(shared.Namespace)).
		Complete(base.Measure("Domain", r))
}

// secretNames returns the names of the Secrets that a Domain refers to, in its namespace.
func secretNames(domain *v1alpha1.Domain) []string {
	return parts.SecretNames(domain.Spec.CredentialsSecretRef, domain.Spec.CABundleSecretRef)
}

// domainsOf maps a Secret to the Domains that may depend on it: those that refer to it, the one
// that would write it (a foreign Secret may have had the name), and all of them if it describes an
// endpoint of the installation.
func (r *reconciler) domainsOf(namespace string) handler.MapFunc {
	return func(ctx context.Context, secret client.Object) []reconcile.Request {
		options := []client.ListOption{client.InNamespace(secret.GetNamespace()), client.MatchingFields{secretIndex: secret.GetName()}}
		if secret.GetNamespace() == namespace && secret.GetLabels()[endpoint.Label] == "true" {
			options = nil
		}
		requests := base.Requests(ctx, r.Client, &v1alpha1.DomainList{}, options...)
		for _, suffix := range []string{v1alpha1.RegistrationSecretSuffix, rootSuffix} {
			if name, ok := strings.CutSuffix(secret.GetName(), suffix); ok {
				requests = append(requests, base.RequestFor(secret.GetNamespace(), name))
			}
		}
		return requests
	}
}

// SecretUser returns, for the in-use controller, which Secrets Domains need.
func SecretUser(cached client.Reader) inuse.User {
	return inuse.NewUser(cached, &v1alpha1.Domain{}, &v1alpha1.DomainList{}, secretIndex, Finalizer, secretNames)
}
