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

// missingSecrets gives a finding for each Secret that is named by an object which is ready all the same: the login of a User
// that somebody deleted, a token that will be missed at the next start. Objects that are not ready tell of theirs themselves.
// It needs the right to list Secrets and looks at names only; a note says when it could not look.
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
			// Of other namespaces nothing was listed.
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
		return nil, "whether all Secrets are there was not looked at: you may not list them, or there are too many"
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

// secretMissing takes the object's own words where a condition has some about this Secret.
func secretMissing(n *node, ref reference) *finding {
	f := &finding{Kind: n.kind.Kind, Namespace: n.object.GetNamespace(), Name: n.object.GetName(), Phase: n.phase, Reason: reasonSecretMissing,
		Message: fmt.Sprintf("Secret %q, which %s names, is not there", ref.name, ref.field), nodes: []*node{n}}
	for _, condition := range conditionsOf(n.object) {
		if condition.Status == metav1.ConditionFalse && strings.Contains(condition.Message, fmt.Sprintf("%q", ref.name)) {
			f.Reason, f.Message = condition.Reason, oneLine(condition.Message)
		}
	}
	return f
}
