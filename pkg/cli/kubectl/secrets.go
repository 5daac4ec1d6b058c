// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

var secretKind = &kind{APIResource: metav1.APIResource{Name: "secrets", Kind: "Secret", Namespaced: true},
	version: schema.GroupVersion{Version: "v1"}}

// missingSecrets returns a finding for each missing Secret that is referenced by an object which is
// ready: the deleted login of a User, or a token that is needed at the next start. Objects that are
// not ready report their missing Secrets themselves. It needs the permission to list Secrets and
// reads only names; without it, it returns a note.
func (c *cluster) missingSecrets(ctx context.Context, v *view, namespace string) (findings []*finding, note string) {
	type naming struct {
		by *node
		reference
		secret types.NamespacedName
	}
	var named []naming
	for _, n := range v.nodes {
		if !n.ready {
			continue
		}
		refs := append(referencesIn(n.spec(), "spec"), referencesIn(n.object.Object["status"], "status")...)
		for _, ref := range refs {
			in := ref.namespace
			if in == "" {
				in = n.object.GetNamespace()
			}
			// Secrets of other namespaces were not listed.
			if ref.secret() && in != "" && (namespace == "" || in == namespace) {
				named = append(named, naming{n, ref, types.NamespacedName{Namespace: in, Name: ref.name}})
			}
		}
	}
	if len(named) == 0 {
		return nil, ""
	}
	secrets, cut, err := c.partials(ctx, secretKind, namespace)
	if err != nil || cut {
		return nil, "missing Secrets were not checked: you may not list Secrets, or there are too many"
	}
	there := sets.New[types.NamespacedName]()
	for i := range secrets {
		there.Insert(types.NamespacedName{Namespace: secrets[i].Namespace, Name: secrets[i].Name})
	}
	for _, one := range named {
		if !there.Has(one.secret) {
			findings = append(findings, secretMissing(one.by, one.reference))
		}
	}
	return findings, ""
}

// secretMissing uses the message of a condition about this Secret if there is one.
func secretMissing(n *node, ref reference) *finding {
	f := &finding{Kind: n.kind.Kind, Namespace: n.object.GetNamespace(), Name: n.object.GetName(), Phase: n.phase, Reason: reasonSecretMissing,
		Message: fmt.Sprintf("Secret %q, which %s references, does not exist", ref.name, ref.field), nodes: []*node{n}}
	for _, condition := range conditionsOf(n.object) {
		if condition.Status == metav1.ConditionFalse && strings.Contains(condition.Message, fmt.Sprintf("%q", ref.name)) {
			f.Reason, f.Message = condition.Reason, oneLine(condition.Message)
		}
	}
	return f
}
