// SPDX-License-Identifier: Apache-2.0

package chartsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// Values are the Helm values of an Operator.
type Values struct {
	// Base contains the values for all environments, which override those of the chart in this
	// order.
	Base []map[string]any
	// Environments contains the values that override Base, by environment.
	Environments map[string]map[string]any

	secrets []string // strings from Secrets, which messages must not contain
}

// Values reads the values of an Operator.
func (s Source) Values(ctx context.Context, operator *v1alpha1.Operator) (*Values, *base.Blocked) {
	found := &Values{Environments: map[string]map[string]any{}}
	base, problem := parsed("spec.values", operator.Spec.Values)
	if problem != nil {
		return nil, problem
	}
	if base != nil {
		found.Base = append(found.Base, base)
	}
	for i, from := range operator.Spec.ValuesFrom {
		if from.SecretRef == nil {
			continue
		}
		values, problem := s.fromSecret(ctx, from.SecretRef, fmt.Sprintf("spec.valuesFrom[%d]", i))
		if problem != nil {
			return nil, problem
		}
		found.Base = append(found.Base, values)
		found.secrets = texts(values, found.secrets)
	}
	for _, environment := range slices.Sorted(maps.Keys(operator.Spec.EnvironmentValues)) {
		raw := operator.Spec.EnvironmentValues[environment]
		values, problem := parsed("spec.environmentValues["+environment+"]", &raw)
		if problem != nil {
			return nil, problem
		}
		found.Environments[environment] = values
	}
	return found, nil
}

func (s Source) fromSecret(ctx context.Context, ref *v1alpha1.SecretKeyReference, field string) (map[string]any, *base.Blocked) {
	secret, problem := s.secret(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, field)
	if problem != nil {
		return nil, problem
	}
	content, ok := secret.Data[ref.Key]
	if !ok {
		return nil, invalid(secret, fmt.Sprintf("has no key %q, which %s of the Operator names", ref.Key, field))
	}
	var values map[string]any
	// The parser's error would contain parts of the Secret.
	if yaml.Unmarshal(content, &values) != nil {
		return nil, invalid(secret, fmt.Sprintf("has no values in its key %q: they must be a YAML mapping", ref.Key))
	}
	return values, nil
}

func parsed(field string, raw *runtime.RawExtension) (map[string]any, *base.Blocked) {
	if raw == nil || len(raw.Raw) == 0 {
		return nil, nil
	}
	var values map[string]any
	if err := json.Unmarshal(raw.Raw, &values); err != nil {
		return nil, &base.Blocked{Reason: v1alpha1.ReasonValuesInvalid,
			Message: fmt.Sprintf("%s of the Operator is no mapping of Helm values", field)}
	}
	return values, nil
}

// Over returns the values for an environment. If environment is empty, it returns those for all
// environments.
func (v *Values) Over(environment string) []map[string]any {
	values := slices.Clone(v.Base)
	if over := v.Environments[environment]; over != nil {
		values = append(values, over)
	}
	return values
}

const redacted = "[redacted]"

// shortest is the minimum length of a redacted string. Shorter strings occur in messages by chance.
const shortest = 4

// Redact returns blocked without strings from Secrets in its message: a template may fail with any
// value in its error.
func (v *Values) Redact(blocked *base.Blocked) *base.Blocked {
	if blocked == nil || len(v.secrets) == 0 {
		return blocked
	}
	clean := *blocked
	for _, secret := range v.secrets {
		clean.Message = strings.ReplaceAll(clean.Message, secret, redacted)
		// Errors of Go quote values.
		if quoted := fmt.Sprintf("%q", secret); len(quoted) > len(secret)+2 {
			clean.Message = strings.ReplaceAll(clean.Message, quoted[1:len(quoted)-1], redacted)
		}
	}
	if blocked.Err != nil {
		clean.Err = errors.New(clean.Message)
	}
	return &clean
}

// texts collects the scalars of values, sorted by decreasing length.
func texts(value any, into []string) []string {
	switch value := value.(type) {
	case map[string]any:
		for _, one := range value {
			into = texts(one, into)
		}
	case []any:
		for _, one := range value {
			into = texts(one, into)
		}
	case nil, bool:
	default:
		// Messages have one line, so the lines of a value with several lines are collected
		// separately.
		for line := range strings.Lines(fmt.Sprint(value)) {
			if line = strings.TrimSpace(line); len(line) >= shortest {
				into = append(into, line)
			}
		}
	}
	slices.SortFunc(into, func(a, b string) int { return len(b) - len(a) })
	return into
}
