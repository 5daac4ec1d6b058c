// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/chaos/observe"
)

// fieldManager is the field manager of applies.
const fieldManager = "chaos"

// tries is the number of attempts of a change that conflicts because controllers write too.
const tries = 5

func (c *client) resource(key history.Key) dynamic.ResourceInterface {
	return c.world.Dynamic.Resource(observe.Resources[key.Kind]).Namespace(key.Namespace)
}

// spec returns the spec of an object. It depends on the mark, so that each change requires work of
// the controllers.
func (c *client) spec(one held, mark int) map[string]any {
	key, domain := one.key, one.domain
	switch key.Kind {
	case check.Domain:
		spec := map[string]any{
			"name": takaroName(key), "takaroApiUrl": c.takaroURL, "connectorUrl": c.world.ConnectorURL,
			"domainLimits": map[string]any{"maxGameServers": int64(10 + mark%40), "maxUsers": int64(50)},
		}
		one.form.into(spec)
		return spec
	case check.User:
		roles := []any{"Admin"}
		if mark%2 == 0 {
			roles = []any{"Moderator"}
		}
		return map[string]any{"email": key.Name + "@" + key.Namespace + ".example.com", "domainRef": map[string]any{"name": domain},
			"roles": roles}
	default:
		return map[string]any{"domainRef": map[string]any{"name": domain}, "replicas": int64(1 + mark%2), "totalPlayers": int64(5)}
	}
}

// takaroName returns the name of a Domain in Takaro, which is unique within a run.
func takaroName(key history.Key) string { return key.Namespace + "-" + key.Name }

func (c *client) body(one held, mark int) *unstructured.Unstructured {
	key := one.key
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "takaro.roadstead.dev/v1alpha1", "kind": key.Kind,
		"metadata": map[string]any{"name": key.Name, "namespace": key.Namespace,
			"annotations": map[string]any{observe.MarkAnnotation: strconv.Itoa(mark)}},
		"spec": c.spec(one, mark),
	}}
}

// create creates an object under a name that was never used. The form f is that of a Domain.
func (c *client) create(ctx context.Context, kind, domain string, f form) {
	c.made++
	mark := c.history.Mark()
	key := history.Key{Kind: kind, Namespace: c.namespace, Name: fmt.Sprintf("%s%d", strings.ToLower(kind), c.made)}
	one := held{key: key, domain: domain, form: f, claim: f.foreign(c.foreign)}
	body := c.body(one, mark)
	if f.kept() {
		c.keep(takaroName(key))
	}
	got, _ := c.note(ctx, history.Write{ID: mark, Key: key, Verb: history.Create, Domain: domain},
		func(ctx context.Context) (*unstructured.Unstructured, error) {
			return c.resource(key).Create(ctx, body, metav1.CreateOptions{FieldManager: fieldManager})
		})
	if got != history.Refused {
		c.held = append(c.held, one)
	}
}

// createIn creates a User or MockServer of one of the Domains.
func (c *client) createIn(ctx context.Context, kind string, most, pick int) {
	owner, ok := c.choose(pick, func(one held) bool { return one.key.Kind == check.Domain && !one.claim })
	if ok && c.count(kind) < most {
		c.create(ctx, kind, owner.key.Name, form{})
	}
}

// claim creates a Domain that claims a foreign Takaro domain, or deletes the one that does.
func (c *client) claim(ctx context.Context, pick int) {
	if claimed, ok := c.choose(0, func(one held) bool { return one.claim }); ok {
		c.remove(ctx, claimed)
		return
	}
	c.create(ctx, check.Domain, "", form{reference: c.foreign[pick%len(c.foreign)].ExternalReference})
}

// read reads an object. It returns nil if there is no response or no object that can be changed.
func (c *client) read(ctx context.Context, one held) *unstructured.Unstructured {
	got, answer := c.note(ctx, history.Write{ID: c.history.Mark(), Key: one.key, Verb: history.Read, Domain: one.domain},
		func(ctx context.Context) (*unstructured.Unstructured, error) {
			return c.resource(one.key).Get(ctx, one.key.Name, metav1.GetOptions{})
		})
	if got != history.Acknowledged {
		return nil
	}
	if answer == nil || answer.GetUID() == "" || answer.GetDeletionTimestamp() != nil {
		c.forget(one)
		return nil
	}
	return answer
}

// patch returns a conditional patch of an object.
type patch func(c *client, one held, mark int, seen *unstructured.Unstructured) (types.PatchType, any, metav1.PatchOptions)

func mergePatch(c *client, one held, mark int, seen *unstructured.Unstructured) (types.PatchType, any, metav1.PatchOptions) {
	spec := c.spec(one, mark)
	for _, fixed := range []string{"name", "takaroApiUrl", "connectorUrl", "email", "domainRef", "externalReferenceId", "adopt",
		"deletionPolicy", "credentialsSecretRef"} {
		delete(spec, fixed)
	}
	return types.MergePatchType, map[string]any{
		"metadata": map[string]any{"resourceVersion": seen.GetResourceVersion(),
			"annotations": map[string]any{observe.MarkAnnotation: strconv.Itoa(mark)}},
		"spec": spec,
	}, metav1.PatchOptions{FieldManager: fieldManager}
}

func applyPatch(c *client, one held, mark int, seen *unstructured.Unstructured) (types.PatchType, any, metav1.PatchOptions) {
	body := c.body(one, mark)
	body.SetResourceVersion(seen.GetResourceVersion())
	return types.ApplyPatchType, body.Object, metav1.PatchOptions{FieldManager: fieldManager, Force: ptr.To(true)}
}

// change changes one of the objects.
func (c *client) change(ctx context.Context, pick int, how patch) {
	one, ok := c.choose(pick, func(held) bool { return true })
	if !ok {
		return
	}
	for range tries {
		seen := c.read(ctx, one)
		if seen == nil {
			return
		}
		mark := c.history.Mark()
		kind, body, options := how(c, one, mark, seen)
		data, err := json.Marshal(body)
		if err != nil {
			panic(err) // only maps and strings are encoded
		}
		got, _ := c.note(ctx, history.Write{ID: mark, Key: one.key, Verb: history.Change, Domain: one.domain},
			func(ctx context.Context) (*unstructured.Unstructured, error) {
				return c.resource(one.key).Patch(ctx, one.key.Name, kind, data, options)
			})
		if got != history.Unknown {
			return
		}
	}
}

// delete deletes one of the objects.
func (c *client) delete(ctx context.Context, pick int) {
	if one, ok := c.choose(pick, func(held) bool { return true }); ok {
		c.remove(ctx, one)
	}
}

func (c *client) remove(ctx context.Context, one held) {
	for range tries {
		seen := c.read(ctx, one)
		if seen == nil {
			return
		}
		got, _ := c.note(ctx, history.Write{ID: c.history.Mark(), Key: one.key, Verb: history.Delete, Domain: one.domain},
			func(ctx context.Context) (*unstructured.Unstructured, error) {
				return nil, c.resource(one.key).Delete(ctx, one.key.Name, metav1.DeleteOptions{
					Preconditions:     &metav1.Preconditions{UID: ptr.To(seen.GetUID()), ResourceVersion: ptr.To(seen.GetResourceVersion())},
					PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
				})
			})
		if got == history.Acknowledged {
			c.forget(one)
			return
		}
	}
}
