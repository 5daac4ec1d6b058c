// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// storeBackoff limits the attempts to store the root password to about 20 s. After that the
// password is lost, and the domain is created again if that is allowed.
var storeBackoff = wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Steps: 9, Cap: 10 * time.Second}

// formerKeys returns the keys of the login of a former domain. Each key is followed by a dot and
// the domain's id.
func formerKeys(id string) (username, password string) {
	if len(validation.IsConfigMapKey(keyPassword+"."+id)) > 0 {
		sum := sha256.Sum256([]byte(id))
		id = hex.EncodeToString(sum[:])
	}
	return keyUsername + "." + id, keyPassword + "." + id
}

// withLogin returns the content of the root Secret with the login of the domain id as the current
// one. The previous login is kept under the keys of its id: Takaro returns a root password only
// once, and a missing domain may return.
func withLogin(data map[string][]byte, id string, username, password []byte) map[string][]byte {
	next := maps.Clone(data)
	if next == nil {
		next = map[string][]byte{}
	}
	if former := string(data[keyDomainID]); former != "" && former != id && len(data[keyPassword]) > 0 {
		formerUsername, formerPassword := formerKeys(former)
		next[formerUsername], next[formerPassword] = data[keyUsername], data[keyPassword]
	}
	keptUsername, keptPassword := formerKeys(id)
	delete(next, keptUsername)
	delete(next, keptPassword)
	next[keyDomainID], next[keyUsername], next[keyPassword] = []byte(id), username, password
	return next
}

// loginOf returns the login of the domain id in the root Secret, current or former.
func loginOf(data map[string][]byte, id string) (username, password []byte, found bool) {
	if string(data[keyDomainID]) == id {
		return data[keyUsername], data[keyPassword], len(data[keyPassword]) > 0
	}
	formerUsername, formerPassword := formerKeys(id)
	return data[formerUsername], data[formerPassword], len(data[formerPassword]) > 0
}

// rootStored reports whether the Secret holds the root password of the domain with that id.
func (r *reconciler) rootStored(ctx context.Context, domain *v1alpha1.Domain, id string) (bool, error) {
	secret, err := r.Secrets.Find(ctx, domain, rootSecretName(domain))
	if err != nil || secret == nil {
		return false, err
	}
	_, _, found := loginOf(secret.Data, id)
	return found, nil
}

// storeRoot writes the root login to its Secret. It does not stop when the process loses its
// leadership or when the first write fails, because the password cannot be retrieved again.
func (r *reconciler) storeRoot(ctx context.Context, domain *v1alpha1.Domain, created *takaro.CreatedDomain) error {
	var last error
	err := wait.ExponentialBackoffWithContext(context.WithoutCancel(ctx), storeBackoff, func(ctx context.Context) (bool, error) {
		last = r.Secrets.Modify(ctx, domain, rootSecretName(domain), func(data map[string][]byte) map[string][]byte {
			next := withLogin(data, created.Domain.ID, []byte(created.RootUser.Email), []byte(created.Password.Reveal()))
			next[keyTakaroAPIURL] = []byte(domain.Spec.TakaroAPIURL)
			return next
		})
		var taken *secrets.NameTakenError
		if errors.As(last, &taken) {
			return false, last
		}
		if last != nil {
			log.FromContext(ctx).Error(last, "Storing the root credentials failed, trying again")
		}
		return last == nil, nil
	})
	if last != nil {
		return last
	}
	return err
}

// restoreRoot sets the login of the domain id as the current one if it is kept as that of a former
// domain, and reports whether it is stored.
func (r *reconciler) restoreRoot(ctx context.Context, domain *v1alpha1.Domain, id string) (bool, error) {
	stored, err := r.rootStored(ctx, domain, id)
	if err != nil || !stored {
		return false, err
	}
	return true, r.Secrets.Modify(ctx, domain, rootSecretName(domain), func(data map[string][]byte) map[string][]byte {
		username, password, found := loginOf(data, id)
		if !found || string(data[keyDomainID]) == id {
			return data
		}
		return withLogin(data, id, username, password)
	})
}
