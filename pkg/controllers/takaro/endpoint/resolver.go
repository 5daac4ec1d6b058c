// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Label is the label of the Secrets in the installation's namespace that describe a Takaro
// endpoint.
const Label = "roadstead.dev/takaro-endpoint"

// Keys of such a Secret. The last two are optional.
const (
	KeyURL          = "url"
	KeyAdminToken   = "adminToken"
	KeyConnectorURL = "connectorUrl"
	KeyCA           = "ca.crt"
)

// unresolved returns why there is no endpoint, with a reason of the condition EndpointReady. The
// next attempt follows a change of a Secret or of the spec.
func unresolved(reason, format string, args ...any) *base.Blocked {
	return &base.Blocked{Unknown: true, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Static is an endpoint from the controller's environment.
type Static struct {
	URL, AdminToken string
}

// Resolver resolves endpoints.
type Resolver struct {
	cached    client.Reader
	secrets   *secrets.Reader
	namespace string
	static    *Static
	unusable  *unusable
}

// NewResolver returns a Resolver. cached must serve metadata of Secrets. namespace is the namespace
// of the installation. static may be nil.
func NewResolver(cached client.Reader, reader *secrets.Reader, namespace string, static *Static) *Resolver {
	return &Resolver{cached: cached, secrets: reader, namespace: namespace, static: static, unusable: newUnusable()}
}

// Resolve returns the endpoint of a Domain, or a *base.Blocked, or an error of the API server.
func (r *Resolver) Resolve(ctx context.Context, domain *v1alpha1.Domain) (Resolved, error) {
	url, err := takaro.NormalizeURL(domain.Spec.TakaroAPIURL)
	if err != nil {
		return Resolved{}, unresolved(v1alpha1.ReasonEndpointRefused, "spec.takaroApiUrl: %v", err)
	}
	installed, err := r.installed(ctx, url)
	if err != nil {
		return Resolved{}, err
	}
	resolved := Resolved{Endpoint: takaro.Endpoint{URL: url}}
	if ref := domain.Spec.CredentialsSecretRef; ref != nil {
		token, err := r.value(ctx, domain.Namespace, "spec.credentialsSecretRef", ref)
		if err != nil {
			return Resolved{}, err
		}
		resolved.AdminToken, resolved.Own = takaro.NewSecret(strings.TrimSpace(string(token))), true
		resolved.From.Token = SecretKey(domain.Namespace, ref.Name, ref.Key)
	} else if installed != nil {
		// The address is that of the installation, not the one in the spec: its token is sent
		// nowhere else, not even to another path.
		resolved.URL, resolved.AdminToken, resolved.From.Token = installed.URL, installed.AdminToken, installed.From.Token
	} else {
		return Resolved{}, unresolved(v1alpha1.ReasonEndpointNotConfigured,
			"no admin token for %s: name one in spec.credentialsSecretRef, or ask the operators of this installation to add a Secret "+
				"labelled %s=true with this url in namespace %s", url, Label, r.namespace)
	}
	if installed != nil {
		resolved.CABundle, resolved.From.CA = installed.CABundle, installed.From.CA
	}
	if ref := domain.Spec.CABundleSecretRef; ref != nil {
		if domain.Spec.CredentialsSecretRef == nil {
			// Only an earlier release accepted such a spec. Its author could otherwise choose the
			// recipient of the installation's token.
			return Resolved{}, unresolved(v1alpha1.ReasonEndpointRefused, "spec.caBundleSecretRef is set without "+
				"spec.credentialsSecretRef, and the installation's token for %s is sent to no server that another CA vouches for. "+
				"Set spec.credentialsSecretRef too, or remove spec.caBundleSecretRef", resolved.URL)
		}
		if resolved.CABundle, err = r.value(ctx, domain.Namespace, "spec.caBundleSecretRef", ref); err != nil {
			return Resolved{}, err
		}
		resolved.From.CA = SecretKey(domain.Namespace, ref.Name, ref.Key)
	}
	return resolved, nil
}

// value reads one key of a Secret that a spec refers to.
func (r *Resolver) value(ctx context.Context, namespace, field string, ref *v1alpha1.SecretKeyReference) ([]byte, error) {
	secret, err := r.secrets.Get(ctx, types.NamespacedName{Namespace: namespace, Name: ref.Name})
	if apierrors.IsNotFound(err) {
		return nil, unresolved(v1alpha1.ReasonSecretNotFound, "%s: Secret %q is not there; waiting for it", field, ref.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	value := secret.Data[ref.Key]
	if len(strings.TrimSpace(string(value))) == 0 {
		return nil, unresolved(v1alpha1.ReasonSecretKeyMissing,
			"%s: Secret %q has no value under key %q; waiting for it", field, ref.Name, ref.Key)
	}
	return value, nil
}

// installed returns the installation's endpoint with the same scheme, host and port, or nil if
// there is none.
func (r *Resolver) installed(ctx context.Context, url string) (*Resolved, error) {
	secret, found, err := r.installedSecret(ctx, url)
	if err != nil {
		return nil, err
	}
	if found != nil {
		resolved := &Resolved{Endpoint: *found, From: Sources{Token: SecretKey(secret.Namespace, secret.Name, KeyAdminToken)}}
		if len(found.CABundle) > 0 {
			resolved.From.CA = SecretKey(secret.Namespace, secret.Name, KeyCA)
		}
		return resolved, nil
	}
	if r.static != nil {
		if static, err := takaro.NormalizeURL(r.static.URL); err == nil && SameOrigin(static, url) {
			return &Resolved{
				Endpoint: takaro.Endpoint{URL: static, AdminToken: takaro.NewSecret(strings.TrimSpace(r.static.AdminToken))},
				From:     Sources{Token: fromEnvironment},
			}, nil
		}
	}
	return nil, nil
}

// installedSecret returns the Secret that describes the endpoint with the same scheme, host and
// port, and the endpoint. It returns nil if there is none. If there are several, it returns the
// first by name.
func (r *Resolver) installedSecret(ctx context.Context, url string) (*corev1.Secret, *takaro.Endpoint, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	if err := r.cached.List(ctx, list, client.InNamespace(r.namespace), client.MatchingLabels{Label: "true"}); err != nil {
		return nil, nil, fmt.Errorf("listing Takaro endpoints: %w", err)
	}
	slices.SortFunc(list.Items, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
	there := map[types.NamespacedName]bool{}
	for i := range list.Items {
		there[client.ObjectKeyFromObject(&list.Items[i])] = true
	}
	r.unusable.retain(there)
	for i := range list.Items {
		secret, err := r.secrets.Get(ctx, client.ObjectKeyFromObject(&list.Items[i]))
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("reading Takaro endpoint %q: %w", list.Items[i].Name, err)
		}
		endpoint, why := parse(secret)
		if endpoint == nil {
			r.unusable.tell(ctx, secret, why)
			continue
		}
		if SameOrigin(endpoint.URL, url) {
			return secret, endpoint, nil
		}
	}
	return nil, nil, nil
}

// parse parses an endpoint Secret. For an invalid Secret it returns nil and the reason, which
// contains no value.
func parse(secret *corev1.Secret) (*takaro.Endpoint, string) {
	typed, token := strings.TrimSpace(string(secret.Data[KeyURL])), strings.TrimSpace(string(secret.Data[KeyAdminToken]))
	url, err := takaro.NormalizeURL(typed)
	switch {
	case typed == "":
		return nil, fmt.Sprintf("it has no value under key %q", KeyURL)
	case err != nil:
		return nil, fmt.Sprintf("key %q: %v", KeyURL, err) // the error contains no part of the URL
	case token == "":
		return nil, fmt.Sprintf("it has no value under key %q", KeyAdminToken)
	}
	return &takaro.Endpoint{URL: url, AdminToken: takaro.NewSecret(token), CABundle: secret.Data[KeyCA]}, ""
}
