// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/absence"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/secrets/inuse"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/netguard"
)

const (
	// domainIndex indexes MockServers by the name of their Domain, secretIndex by those of the
	// Secrets in their specs.
	domainIndex = "spec.domainRef.name"
	secretIndex = "spec.secretNames"
	// authorityIndex indexes Domains by the Secret with their CA bundle, of which pods get a copy.
	authorityIndex = "spec.caBundleSecretRef.name"
)

// Defaults of settings of the installation.
const (
	// DefaultImage is the image of pods whose spec sets none.
	DefaultImage = "ghcr.io/gettakaro/takaro-app-mock-gameserver:v0.4.11"
	// DefaultUnreachableAfter is how long a game server may be unreachable while its pod is
	// running. Takaro checks every 30 s, and a pod needs about 15 s to start.
	DefaultUnreachableAfter = 90 * time.Second
)

// Dependencies are shared with other controllers.
type Dependencies struct {
	parts.Shared
	// Dial is the policy for connections to Redis.
	Dial netguard.Policy
	// RedisPorts are the ports that spec.redis may use.
	RedisPorts RedisPorts
	// Image is the image of pods whose spec sets none.
	Image string
	// UnreachableAfter is how long a game server may be unreachable before its pod is restarted.
	UnreachableAfter time.Duration
}

// Setup adds the controller of MockServers to a manager, whose cache should contain only
// StatefulSets and pods with Label.
func Setup(ctx context.Context, mgr ctrl.Manager, shared Dependencies) error {
	for field, values := range indexes {
		if err := mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.MockServer{}, field, values); err != nil {
			return err
		}
	}
	if err := mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.Domain{}, authorityIndex, authorityOf); err != nil {
		return err
	}
	real := clock.RealClock{}
	r := &reconciler{
		Parts:     parts.Of(mgr, shared.Shared, statusKind),
		redis:     newRedisAccess(real, shared.Dial, shared.RedisPorts, shared.Namespace),
		roster:    newRoster(real),
		restarts:  newRestarts(real, shared.UnreachableAfter),
		limit:     newRestartLimit(real),
		silences:  newSilences(real),
		absences:  &absence.Tracker[string]{},
		conflicts: newConflicts(real),
		foreign:   newForeignIDs(),
		image:     shared.Image,
	}
	r.limit.show = shared.Keeper.HoldRestarts
	comparer := &watch{reconciler: r}
	if err := mgr.Add(comparer); err != nil {
		return err
	}
	if err := mgr.Add(redisWatch{r}); err != nil {
		return err
	}
	shared.Keeper.OnChange(func(ctx context.Context, users takaroendpoint.Users) {
		for _, domain := range users.Domains {
			comparer.Queue.AddAll(r.serversOfDomain(ctx, domain))
		}
		for _, server := range users.MockServers {
			comparer.Queue.Add(server)
		}
	})
	return r.Controller(mgr, "takaro-mockserver", base.Timeout, &v1alpha1.MockServer{}).
		Owns(&appsv1.StatefulSet{}).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(serverOfPod)).
		Watches(secrets.Metadata(), handler.EnqueueRequestsFromMapFunc(r.serversOfSecret(shared.Namespace)), builder.OnlyMetadata).
		Watches(&v1alpha1.Domain{}, handler.EnqueueRequestsFromMapFunc(r.serversOfDomain), builder.WithPredicates(domainref.Matters)).
		Complete(base.Measure("MockServer", r))
}

var indexes = map[string]client.IndexerFunc{
	domainIndex: func(object client.Object) []string {
		if ref := object.(*v1alpha1.MockServer).Spec.DomainRef; ref != nil {
			return []string{ref.Name}
		}
		return nil
	},
	secretIndex: func(object client.Object) []string { return secretNames(object.(*v1alpha1.MockServer)) },
}

func authorityOf(object client.Object) []string {
	return parts.SecretNames(object.(*v1alpha1.Domain).Spec.CABundleSecretRef)
}

// secretNames returns the names of the Secrets that a MockServer refers to and that the controller
// reads, in its namespace.
func secretNames(server *v1alpha1.MockServer) []string {
	refs := []*v1alpha1.SecretKeyReference{server.Spec.CredentialsSecretRef, server.Spec.CABundleSecretRef}
	if redis := server.Spec.Redis; redis != nil {
		refs = append(refs, redis.PasswordSecretRef)
	}
	return parts.SecretNames(refs...)
}

func serverOfPod(_ context.Context, object client.Object) []reconcile.Request {
	name := object.GetLabels()[Label]
	return []reconcile.Request{base.RequestFor(object.GetNamespace(), name)}
}

// serversOfSecret maps a Secret to the MockServers that may depend on it: those that refer to it,
// those that register with it, the one that would write it (a foreign Secret may have had the
// name), those whose Domain refers to it for its CA bundle, and all of them if it describes an
// endpoint or the Redis of the installation.
func (r *reconciler) serversOfSecret(namespace string) handler.MapFunc {
	return func(ctx context.Context, secret client.Object) []reconcile.Request {
		labels := secret.GetLabels()
		if secret.GetNamespace() == namespace && (labels[endpoint.Label] == "true" || labels[RedisLabel] == "true") {
			return r.find(ctx)
		}
		requests := r.find(ctx, client.InNamespace(secret.GetNamespace()), client.MatchingFields{secretIndex: secret.GetName()})
		if domain, ok := strings.CutSuffix(secret.GetName(), v1alpha1.RegistrationSecretSuffix); ok {
			requests = append(requests, r.find(ctx, client.InNamespace(secret.GetNamespace()), client.MatchingFields{domainIndex: domain})...)
		}
		domains := &v1alpha1.DomainList{}
		if err := r.Client.List(ctx, domains, client.InNamespace(secret.GetNamespace()),
			client.MatchingFields{authorityIndex: secret.GetName()}); err != nil {
			return requests // the cache fails only when the process ends
		}
		for i := range domains.Items {
			requests = append(requests, r.serversOfDomain(ctx, &domains.Items[i])...)
		}
		if name, ok := strings.CutSuffix(secret.GetName(), secretSuffix); ok {
			requests = append(requests, base.RequestFor(secret.GetNamespace(), name))
		}
		return requests
	}
}

func (r *reconciler) serversOfDomain(ctx context.Context, domain client.Object) []reconcile.Request {
	return r.find(ctx, client.InNamespace(domain.GetNamespace()), client.MatchingFields{domainIndex: domain.GetName()})
}

func (r *reconciler) find(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	return base.Requests(ctx, r.Client, &v1alpha1.MockServerList{}, options...)
}

// SecretUser returns, for the in-use controller, which Secrets MockServers need.
func SecretUser(cached client.Reader) inuse.User {
	return inuse.NewUser(cached, &v1alpha1.MockServer{}, &v1alpha1.MockServerList{}, secretIndex, Finalizer, secretNames)
}
