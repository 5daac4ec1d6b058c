// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// form contains the fields in which Domains differ. The form of a Domain does not change.
type form struct {
	// reference is the reference in Takaro that the Domain specifies, or empty to have one
	// generated.
	reference string
	// adopt adopts the domain with the reference.
	adopt  bool
	policy string
	// own uses credentials of the Domain's namespace.
	own bool
}

// into sets the fields of the spec.
func (f form) into(spec map[string]any) {
	if f.reference != "" {
		spec["externalReferenceId"] = f.reference
	}
	if f.adopt {
		spec["adopt"] = true
	}
	if f.policy != "" {
		spec["deletionPolicy"] = f.policy
	}
	if f.own {
		spec["credentialsSecretRef"] = map[string]any{"name": ownSecret, "key": "adminToken"}
	}
}

// foreign reports whether the reference is that of one of the domains.
func (f form) foreign(domains []takaro.Domain) bool {
	return slices.ContainsFunc(domains, func(d takaro.Domain) bool { return d.ExternalReference == f.reference && f.reference != "" })
}

// kept reports whether the domain stays in Takaro when its Domain is deleted.
func (f form) kept() bool {
	return f.adopt || f.policy == check.Retain || f.policy == check.Disable
}

// ownSecret is the Secret with the credentials of a namespace.
const ownSecret = "takaro"

// The forms of Domains. Those with a reference compete with another client for it.
const (
	generated = iota
	generatedToo
	generatedOwn
	retained
	disabled
	typed
	typedTaken
	typedRefused
	adoptedLater
	adopted
	forms
)

// createDomain creates a Domain of one of the forms, together with the foreign domains that the
// form requires.
func (c *client) createDomain(ctx context.Context, pick int) {
	kind := pick % forms
	reference := fmt.Sprintf("typed-%s-%d", c.namespace, c.made+1)
	seed := takaro.Seed{Name: "adoptable-" + reference, ExternalReference: reference}
	f := form{}
	switch kind {
	case generatedOwn:
		f.own = c.ensureOwn(ctx)
	case retained:
		f.policy = check.Retain
	case disabled:
		f.policy = check.Disable
	case typed, typedRefused:
		f.reference = reference
	case typedTaken:
		f.reference = reference
		c.others(c.world.PlantStranger(reference))
	case adopted:
		f.reference, f.adopt = reference, true
		c.others(c.world.Plant(seed, true))
	case adoptedLater:
		f.reference, f.adopt = reference, true
	}
	if kind == typedRefused {
		c.refuseCreate(ctx, f)
		c.others(c.world.PlantStranger(reference))
		return
	}
	c.create(ctx, check.Domain, "", f)
	if kind == adoptedLater {
		c.others(c.world.Plant(seed, true))
	}
}

func (c *client) others(_ takaro.Domain, err error) {
	if err != nil {
		c.world.Logf("nobody else has a domain: %v", err)
	}
}

// refusal is how long a client waits for the refusal of a create.
const refusal = 3 * time.Second

// refuseCreate creates a Domain whose create is refused by Takaro. What is recorded before a create
// must not serve as proof of ownership of a foreign domain that is created later.
func (c *client) refuseCreate(ctx context.Context, f form) {
	id, err := c.world.Takaro.InjectFault(takaro.Fault{Kind: takaro.FaultTokenRevoked, Method: http.MethodPost, Path: "/domain"})
	c.others(takaro.Domain{}, err)
	defer c.world.Takaro.RemoveFault(id)
	before := c.world.Takaro.Count(http.MethodPost, "/domain")
	c.create(ctx, check.Domain, "", f)
	for end := time.Now().Add(refusal); time.Now().Before(end) && c.world.Takaro.Count(http.MethodPost, "/domain") == before; {
		if !wait(ctx, 50*time.Millisecond) {
			return
		}
	}
}

// ensureOwn creates the credentials of the namespace and reports whether they exist.
func (c *client) ensureOwn(ctx context.Context) bool {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: ownSecret}, StringData: map[string]string{"adminToken": c.world.Takaro.AdminToken()},
	}
	_, err := c.world.Client.CoreV1().Secrets(c.namespace).Create(ctx, secret, metav1.CreateOptions{})
	return err == nil || apierrors.IsAlreadyExists(err)
}

// Kept returns the Takaro names of the Domains whose domain stays when they are deleted.
func (l *Workload) Kept() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := map[string]bool{}
	for name := range l.kept {
		kept[name] = true
	}
	return kept
}

// keep records such a Domain.
func (l *Workload) keep(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept == nil {
		l.kept = map[string]bool{}
	}
	l.kept[name] = true
}
