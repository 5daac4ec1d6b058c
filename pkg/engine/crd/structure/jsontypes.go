// SPDX-License-Identifier: Apache-2.0

package structure

import "strings"

// jsonTypes is a set of JSON types. typeNumber includes typeInteger, because an integer is a number too.
type jsonTypes uint8

const (
	typeString jsonTypes = 1 << iota
	typeInteger
	// typeFraction is a number that is not an integer.
	typeFraction
	typeBoolean
	typeObject
	typeArray

	typeNumber  = typeInteger | typeFraction
	typeScalar  = typeString | typeNumber | typeBoolean
	anyType     = typeScalar | typeObject | typeArray
	intOrString = typeInteger | typeString
)

// typesOf returns the types that the keyword type allows. An absent or unknown type allows everything.
func typesOf(name string) jsonTypes {
	switch name {
	case "string":
		return typeString
	case "integer":
		return typeInteger
	case "number":
		return typeNumber
	case "boolean":
		return typeBoolean
	case "object":
		return typeObject
	case "array":
		return typeArray
	}
	return anyType
}

// typeOfValue returns the type of a decoded JSON value; null has no type.
func typeOfValue(value any) jsonTypes {
	switch value := value.(type) {
	case string:
		return typeString
	case float64:
		if value == float64(int64(value)) {
			return typeInteger
		}
		return typeFraction
	case bool:
		return typeBoolean
	case map[string]any:
		return typeObject
	case []any:
		return typeArray
	}
	return 0
}

func (t jsonTypes) has(other jsonTypes) bool { return t&other == other }

func (t jsonTypes) String() string {
	if t == anyType {
		return "anything"
	}
	var names []string
	for _, known := range []struct {
		types jsonTypes
		name  string
	}{{typeNumber, "number"}, {typeInteger, "integer"}, {typeString, "string"}, {typeBoolean, "boolean"},
		{typeObject, "object"}, {typeArray, "array"}} {
		if t.has(known.types) && (known.types != typeInteger || !t.has(typeNumber)) {
			names = append(names, known.name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " or ")
}
