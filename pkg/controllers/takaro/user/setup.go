// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
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
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
)

const (
	// domainIndex indexes Users by the name of their Domain, passwordIndex by that of the Secret
	// with their password.
	domainIndex   = "spec.domainRef.name"
	passwordIndex = "spec.passwordSecretRef.name"
)

// Setup adds the controller of Users to a manager.
func Setup(ctx context.Context, mgr ctrl.Manager, shared parts.Shared) error {
	for field, values := range indexes {
		if err := mgr.GetFieldIndexer().IndexField(ctx, &v1alpha1.User{}, field, values); err != nil {
			return err
		}
	}
	kinds, err := versioned.NewForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	writer, err := kubernetes.NewForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	r := &reconciler{
		Parts:  parts.Of(mgr, shared, statusKind),
		roster: newRoster(clock.RealClock{}),
		given:  newGivenCache(credentialsReader{client: kinds}, clock.RealClock{}),
		gone:   &absence.Tracker[types.UID]{},
		seed:   newSeedStore(mgr.GetCache(), writer, shared.Namespace, clock.RealClock{}),
	}
	if err := mgr.Add(r.seed); err != nil {
		return err
	}
	comparer := &watch{reconciler: r}
	if err := mgr.Add(comparer); err != nil {
		return err
	}
	shared.Keeper.OnChange(func(ctx context.Context, users takaroendpoint.Users) {
		for _, domain := range users.Domains {
			comparer.Queue.AddAll(r.usersOfDomain(ctx, domain))
		}
	})
	return r.Controller(mgr, "takaro-user", base.Timeout, &v1alpha1.User{}).
		Watches(secrets.Metadata(), handler.EnqueueRequestsFromMapFunc(r.usersOfSecret), builder.OnlyMetadata).
		Watches(&v1alpha1.Domain{}, handler.EnqueueRequestsFromMapFunc(r.usersOfDomain), builder.WithPredicates(domainref.Matters)).
		Complete(base.Measure("User", r))
}

var indexes = map[string]client.IndexerFunc{
	domainIndex:   func(object client.Object) []string { return []string{object.(*v1alpha1.User).Spec.DomainRef.Name} },
	passwordIndex: func(object client.Object) []string { return secretNames(object.(*v1alpha1.User)) },
}

// secretNames returns the names of the Secrets that a User refers to, in its namespace.
func secretNames(user *v1alpha1.User) []string {
	return parts.SecretNames(user.Spec.PasswordSecretRef)
}

// usersOfSecret maps a Secret to the Users that refer to it and to the User that would write it: a
// foreign Secret may have had the name.
func (r *reconciler) usersOfSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	requests := r.find(ctx, secret.GetNamespace(), client.MatchingFields{passwordIndex: secret.GetName()})
	if client.ObjectKeyFromObject(secret) == r.seed.key {
		requests = append(requests, r.waitingForSeed(ctx)...)
	}
	if name, ok := strings.CutSuffix(secret.GetName(), v1alpha1.UserSecretSuffix); ok {
		requests = append(requests, base.RequestFor(secret.GetNamespace(), name))
	}
	return requests
}

// waitingForSeed returns the Users that wait for the Secret of the seed.
func (r *reconciler) waitingForSeed(ctx context.Context) []reconcile.Request {
	list := &v1alpha1.UserList{}
	if err := r.Client.List(ctx, list); err != nil {
		return nil // they requeue themselves
	}
	var requests []reconcile.Request
	for i := range list.Items {
		if r.WaitsFor(&list.Items[i], v1alpha1.ReasonSeedUnusable) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
	}
	return requests
}

func (r *reconciler) usersOfDomain(ctx context.Context, domain client.Object) []reconcile.Request {
	return r.find(ctx, domain.GetNamespace(), client.MatchingFields{domainIndex: domain.GetName()})
}

func (r *reconciler) find(ctx context.Context, namespace string, fields client.MatchingFields) []reconcile.Request {
	return base.Requests(ctx, r.Client, &v1alpha1.UserList{}, client.InNamespace(namespace), fields)
}

// SecretUser returns, for the in-use controller, which Secrets Users need.
func SecretUser(cached client.Reader) inuse.User {
	return inuse.NewUser(cached, &v1alpha1.User{}, &v1alpha1.UserList{}, passwordIndex, Finalizer, secretNames)
}
