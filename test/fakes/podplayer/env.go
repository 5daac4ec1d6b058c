// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// resolver computes the environment and files of a pod's containers. The pod's status must contain
// its addresses.
type resolver struct {
	source source
	pod    *corev1.Pod
}

// env returns the variables of a container. They are, with increasing precedence, the service
// links, envFrom in order, and env in order, where a literal may refer to variables before it. The
// error names the Secret, ConfigMap or key that is missing.
func (r resolver) env(ctx context.Context, c *corev1.Container) (map[string]string, error) {
	links, err := r.serviceLinks(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, from := range c.EnvFrom {
		if err := r.addEnvFrom(ctx, from, out); err != nil {
			return nil, err
		}
	}
	for _, e := range c.Env {
		v, given := expand(e.Value, lookUp(out, links)), true
		if e.ValueFrom != nil {
			if v, given, err = r.valueFrom(ctx, e.ValueFrom); err != nil {
				return nil, err
			}
		}
		if given {
			out[e.Name] = v
		}
	}
	for name, v := range links {
		if _, set := out[name]; !set {
			out[name] = v
		}
	}
	return out, nil
}

// lookUp returns a function that looks up a name in the first of the maps that contains it.
func lookUp(in ...map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, m := range in {
			if v, ok := m[name]; ok {
				return v, true
			}
		}
		return "", false
	}
}

func (r resolver) addEnvFrom(ctx context.Context, from corev1.EnvFromSource, out map[string]string) error {
	values := map[string]string{}
	switch {
	case from.SecretRef != nil:
		data, err := r.source.secret(ctx, r.pod.Namespace, from.SecretRef.Name)
		if err != nil && !missingIsFine(err, from.SecretRef.Optional) {
			return fmt.Errorf("secret %q of envFrom: %w", from.SecretRef.Name, err)
		}
		for k, v := range data {
			values[k] = string(v)
		}
	case from.ConfigMapRef != nil:
		data, _, err := r.source.configMap(ctx, r.pod.Namespace, from.ConfigMapRef.Name)
		if err != nil && !missingIsFine(err, from.ConfigMapRef.Optional) {
			return fmt.Errorf("configmap %q of envFrom: %w", from.ConfigMapRef.Name, err)
		}
		values = data
	}
	for k, v := range values {
		if name := from.Prefix + k; variableName(name) {
			out[name] = v
		}
	}
	return nil
}

// variableName reports whether a kubelet accepts a name from envFrom: printable ASCII without the
// equals sign.
func variableName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(c rune) bool { return c < ' ' || c > '~' || c == '=' }) < 0
}

// valueFrom returns the value of a reference without expanding it, or false if it is optional and
// missing.
func (r resolver) valueFrom(ctx context.Context, from *corev1.EnvVarSource) (string, bool, error) {
	switch {
	case from.FieldRef != nil:
		v, err := fieldValue(r.pod, from.FieldRef.FieldPath)
		return v, err == nil, err
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		data, err := r.source.secret(ctx, r.pod.Namespace, ref.Name)
		if err != nil {
			return "", false, requiredOnly(err, ref.Optional, "secret", ref.Name)
		}
		v, found := data[ref.Key]
		return keyOf(string(v), found, ref.Optional, "Secret", r.pod.Namespace, ref.Name, ref.Key)
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		data, _, err := r.source.configMap(ctx, r.pod.Namespace, ref.Name)
		if err != nil {
			return "", false, requiredOnly(err, ref.Optional, "configmap", ref.Name)
		}
		v, found := data[ref.Key]
		return keyOf(v, found, ref.Optional, "ConfigMap", r.pod.Namespace, ref.Name, ref.Key)
	}
	return "", false, fmt.Errorf("the pod player knows fieldRef, secretKeyRef and configMapKeyRef only, not what this valueFrom of "+
		"pod %s/%s has", r.pod.Namespace, r.pod.Name)
}

func keyOf(v string, found bool, optional *bool, kind, namespace, name, key string) (string, bool, error) {
	if found || isTrue(optional) {
		return v, found, nil
	}
	return "", false, fmt.Errorf("couldn't find key %s in %s %s/%s", key, kind, namespace, name)
}

func requiredOnly(err error, optional *bool, kind, name string) error {
	if missingIsFine(err, optional) {
		return nil
	}
	return fmt.Errorf("%s %q: %w", kind, name, err)
}

func missingIsFine(err error, optional *bool) bool {
	return isTrue(optional) && apierrors.IsNotFound(err)
}

func isTrue(b *bool) bool { return b != nil && *b }
