// SPDX-License-Identifier: Apache-2.0

package domainadoption

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	ownership "roadstead.dev/roadstead/pkg/apis/ownership/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// need is a field by which an object reaches what it did not create in Takaro.
type need struct {
	field string
	// resource is the one on which the verb must be granted.
	resource string
	// secret holds the credentials with which that is reached, empty for those of the installation.
	secret string
	// effect is what the field does, and remedy how to manage with fewer rights, for messages.
	effect, remedy string
}

// needs returns what an object needs, the most specific field last.
func (p *Plugin) needs(ctx context.Context, namespace string, object runtime.Object) ([]need, error) {
	switch object := object.(type) {
	case *takaro.Domain:
		const remedy = "name spec.credentialsSecretRef with an admin token of your own"
		retained := object.Spec.DeletionPolicy == takaro.DeletionPolicyRetain
		return adoption(need{resource: domains, secret: secretName(object.Spec.CredentialsSecretRef), remedy: remedy},
			object.Spec.Adopt, object.Status.Ownership, retained), nil
	case *takaro.User:
		retained := object.Spec.DeletionPolicy == takaro.UserDeletionPolicyRetain
		found := adoption(need{resource: users}, object.Spec.Adopt, object.Status.Ownership, retained)
		if len(found) == 0 {
			return nil, nil
		}
		credentials, exists, err := p.credentialsOf(ctx, namespace, object.Spec.DomainRef.Name)
		for i := range found {
			found[i].secret = credentials
			switch {
			case found[i].remedy != "":
			case exists:
				found[i].remedy = fmt.Sprintf("name spec.credentialsSecretRef in Domain %q", object.Spec.DomainRef.Name)
			default:
				found[i].remedy = fmt.Sprintf("create Domain %q with spec.credentialsSecretRef before the User", object.Spec.DomainRef.Name)
			}
		}
		return found, err
	case *takaro.MockServer:
		if object.Spec.ExternalReferenceID == "" {
			return nil, nil
		}
		return []need{{
			field: "spec.externalReferenceId", resource: domains, secret: secretName(object.Spec.CredentialsSecretRef),
			remedy: "name spec.credentialsSecretRef with an admin token of your own",
		}}, nil
	}
	return nil, nil
}

// adoption returns what an object needs that adopts, or did so: to adopt, and to delete or disable
// what others created. An object that never adopted anything may be deleted by everybody.
func adoption(base need, adopt bool, ledger *ownership.Status, retained bool) []need {
	adopted := ledger != nil && slices.ContainsFunc(ledger.Records, func(r ownership.Record) bool { return r.Origin == ownership.Adopted })
	if !adopt && !adopted {
		return nil
	}
	adopting, deleting := base, base
	adopting.field = "spec.adopt"
	deleting.field, deleting.effect = "spec.deletionPolicy", "it would delete or disable what others created; "
	deleting.remedy = "keep Retain"
	if retained {
		return []need{adopting}
	}
	return []need{adopting, deleting}
}

// credentialsOf returns the Secret with the credentials of a Domain, and whether the Domain exists.
// One that does not exist yet may use those of the installation.
func (p *Plugin) credentialsOf(ctx context.Context, namespace, name string) (secret string, exists bool, err error) {
	found, err := p.Objects.Get(ctx, takaro.Resource("domains"), namespace, name)
	if apierrors.IsNotFound(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, apierrors.NewServiceUnavailable(fmt.Sprintf("spec.adopt: Domain %q could not be read, try again", name))
	}
	if domain, ok := found.(*takaro.Domain); ok {
		return secretName(domain.Spec.CredentialsSecretRef), true, nil
	}
	return "", false, nil
}

func secretName(reference *takaro.SecretKeyReference) string {
	if reference == nil {
		return ""
	}
	return reference.Name
}
