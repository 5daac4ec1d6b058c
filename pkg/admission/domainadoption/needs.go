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
	// resource is the resource on which the verb must be granted.
	resource string
	// secret is the name of the Secret with the credentials; empty for those of the installation.
	secret string
	// effect is what the field does, and remedy is the alternative that needs fewer rights. Both
	// are parts of the error message.
	effect, remedy string
}

// needs returns what an object needs, the most specific field last.
func (p *Plugin) needs(ctx context.Context, namespace string, object runtime.Object) ([]need, error) {
	switch object := object.(type) {
	case *takaro.Domain:
		const remedy = "set spec.credentialsSecretRef to a Secret with your own admin token"
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
				found[i].remedy = fmt.Sprintf("set spec.credentialsSecretRef in Domain %q", object.Spec.DomainRef.Name)
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
			remedy: "set spec.credentialsSecretRef to a Secret with your own admin token",
		}}, nil
	}
	return nil, nil
}

// adoption returns what an object needs that adopts or has adopted: the right to adopt, and the
// right to delete or disable what others created. An object that never adopted anything needs
// neither.
func adoption(base need, adopt bool, ledger *ownership.Status, retained bool) []need {
	adopted := ledger != nil && slices.ContainsFunc(ledger.Records, func(r ownership.Record) bool { return r.Origin == ownership.Adopted })
	if !adopt && !adopted {
		return nil
	}
	adopting, deleting := base, base
	adopting.field = "spec.adopt"
	deleting.field, deleting.effect = "spec.deletionPolicy", "the deletion would remove or disable objects that Roadstead did not create; "
	deleting.remedy = "set it to Retain"
	if retained {
		return []need{adopting}
	}
	return []need{adopting, deleting}
}

// credentialsOf returns the Secret with the credentials of a Domain, and whether the Domain exists.
// A Domain that does not exist yet may use the credentials of the installation.
func (p *Plugin) credentialsOf(ctx context.Context, namespace, name string) (secret string, exists bool, err error) {
	found, err := p.Objects.Get(ctx, takaro.Resource("domains"), namespace, name)
	if apierrors.IsNotFound(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, apierrors.NewServiceUnavailable(fmt.Sprintf("spec.adopt: cannot read Domain %q; try again", name))
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
