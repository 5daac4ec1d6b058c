// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"math"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// limit is one bound. It is absent if is is false.
type limit struct {
	is        bool
	value     float64
	exclusive bool
}

// limits are the lower and upper bounds of a node.
type limits struct {
	minimum, maximum             limit
	minLength, maxLength         limit
	minItems, maxItems           limit
	minProperties, maxProperties limit
}

func limitsOf(props *apiextensionsv1.JSONSchemaProps) limits {
	l := limits{
		minLength: count(props.MinLength), maxLength: count(props.MaxLength), minItems: count(props.MinItems), maxItems: count(props.MaxItems),
		minProperties: count(props.MinProperties), maxProperties: count(props.MaxProperties),
	}
	if props.Minimum != nil {
		l.minimum = limit{is: true, value: *props.Minimum, exclusive: props.ExclusiveMinimum}
	}
	if props.Maximum != nil {
		l.maximum = limit{is: true, value: *props.Maximum, exclusive: props.ExclusiveMaximum}
	}
	return l
}

func count(value *int64) limit {
	if value == nil {
		return limit{}
	}
	return limit{is: true, value: float64(*value)}
}

// within reports whether other allows everything that the bound l allows. lower selects lower bounds
// instead of upper bounds.
func (l limit) within(other limit, lower bool) bool {
	switch {
	case !other.is:
		return true
	case !l.is:
		return false
	case l.value == other.value:
		return l.exclusive || !other.exclusive
	}
	return l.value > other.value == lower
}

func (l limit) shown() any {
	if !l.is {
		return nil
	}
	if l.exclusive {
		return shownWhole(l.value) + " (exclusive)"
	}
	return l.value
}

// fold tightens the limits to be at least as tight as others.
func (l *limits) fold(others limits) {
	for _, bound := range bounds {
		if own, other := bound.of(l), *bound.of(&others); !own.within(other, bound.lower) {
			*own = other
		}
	}
}

// effective returns the limits including those that other keywords of the node imply: formats of
// numbers, integers, required properties, and the number of declared properties.
func (s *schema) effective() limits {
	l := s.limits
	for format := range s.formats {
		l.fold(s.numericRange(format))
	}
	if s.types&typeNumber == typeInteger {
		l.minimum, l.maximum = wholeAbove(l.minimum), wholeBelow(l.maximum)
	}
	if required := float64(len(s.required)); required > 0 {
		l.fold(limits{minProperties: limit{is: true, value: required}})
	}
	if !s.types.has(typeObject) || s.keepsOthers() {
		return l
	}
	l.fold(limits{maxProperties: limit{is: true, value: float64(len(s.properties))}})
	return l
}

// keepsOthers reports whether an object may have undeclared keys.
func (s *schema) keepsOthers() bool {
	return s.keepsUndeclared() || s.embedded || s.undeclared
}

// wholeAbove returns the lowest integer that a lower bound allows.
func wholeAbove(l limit) limit {
	if !l.is {
		return l
	}
	value := math.Ceil(l.value)
	if l.exclusive && value == l.value {
		value++
	}
	return limit{is: true, value: value}
}

func wholeBelow(l limit) limit {
	if !l.is {
		return l
	}
	value := math.Floor(l.value)
	if l.exclusive && value == l.value {
		value--
	}
	return limit{is: true, value: value}
}

// numericRange returns the range that a numeric format allows. k8s.io/kube-openapi checks a format
// only on a node of exactly that type.
func (s *schema) numericRange(format string) limits {
	between := func(low, high float64) limits {
		return limits{minimum: limit{is: true, value: low}, maximum: limit{is: true, value: high}}
	}
	switch {
	case s.types == typeInteger && format == "int32":
		return between(math.MinInt32, math.MaxInt32)
	case s.types == typeNumber && format == "float":
		return between(-math.MaxFloat32, math.MaxFloat32)
	}
	return limits{}
}
