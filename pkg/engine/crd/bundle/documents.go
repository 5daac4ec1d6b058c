// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// contents are the objects in documents.
type contents struct {
	members  []sets.Member
	services []sets.Service
}

// document is a part of a file between separators.
type document struct {
	// line is the number of the first line, starting at 1.
	line int
	text []byte
}

// split splits a file at its lines "---". The YAML parser would read only the first document of a file.
func split(content []byte) []document {
	var documents []document
	current := document{line: 1}
	line, start := 0, 0
	for offset := 0; offset < len(content); {
		line++
		end := len(content)
		if i := bytes.IndexByte(content[offset:], '\n'); i >= 0 {
			end = offset + i + 1
		}
		if separator, inline := separates(content[offset:end]); separator {
			current.text = content[start:offset]
			documents = append(documents, current)
			current, start = document{line: line + 1}, end
			if inline {
				current.line, start = line, offset
			}
		}
		offset = end
	}
	current.text = content[start:]
	return append(documents, current)
}

// separates reports whether a line ends a document, and whether the next one begins on the same line.
func separates(line []byte) (separator, inline bool) {
	rest, found := bytes.CutPrefix(line, []byte("---"))
	if !found || len(rest) > 0 && !bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[0])) {
		return false, false
	}
	rest = bytes.TrimSpace(rest)
	return true, len(rest) > 0 && rest[0] != '#'
}

// empty reports whether a document contains only comments and directives (%YAML 1.2).
func (d document) empty() bool {
	for line := range bytes.Lines(d.text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

// head contains the fields that identify a kind.
type head struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// decode returns the CRDs and Services in a file of YAML or JSON documents. It reads the items of lists and
// ignores other kinds.
func decode(file string, content []byte) (contents, error) {
	var found contents
	index := 0
	for _, one := range split(bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))) {
		if one.empty() {
			continue
		}
		index++
		if err := found.add(file, one); err != nil {
			return contents{}, fmt.Errorf("%s: document %d (line %d): %w", file, index, one.line, oneLine(err))
		}
	}
	return found, nil
}

func (c *contents) add(file string, one document) error {
	encoded := bytes.TrimSpace(one.text)
	if encoded[0] != '{' || !json.Valid(encoded) {
		var err error
		if encoded, err = yaml.YAMLToJSON(one.text); err != nil {
			return err
		}
	}
	return c.object(file, one.line, encoded)
}

func (c *contents) object(file string, line int, encoded []byte) error {
	var is head
	if err := kjson.UnmarshalCaseSensitivePreserveInts(encoded, &is); err != nil {
		return fmt.Errorf("decode Kubernetes object: %w", err)
	}
	switch {
	case is.Kind == "CustomResourceDefinition":
		definition, err := definitionOf(is.APIVersion, encoded)
		if err != nil {
			return err
		}
		c.members = append(c.members, sets.Member{CRD: definition, File: file, Line: line, Origin: sets.Plain})
	case is.Kind == "Service" && is.APIVersion == "v1":
		var service corev1.Service
		// The API server would reject an invalid Service, so it does not count.
		if err := runtime.DecodeInto(codecs.UniversalDeserializer(), encoded, &service); err != nil {
			return nil
		}
		found := sets.Service{Namespace: service.Namespace, Name: service.Name}
		for _, port := range service.Spec.Ports {
			found.Ports = append(found.Ports, port.Port)
		}
		c.services = append(c.services, found)
	case is.Kind == "List" || is.Kind == "CustomResourceDefinitionList":
		for i, item := range is.Items {
			item = withKind(is, item)
			if err := c.object(file, line, item); err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// withKind adds the kind and apiVersion to an item of a CustomResourceDefinitionList, which the API server omits.
func withKind(list head, item json.RawMessage) json.RawMessage {
	if list.Kind == "List" {
		return item
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(item, &fields) != nil || fields["kind"] != nil {
		return item
	}
	fields["kind"] = json.RawMessage(`"CustomResourceDefinition"`)
	fields["apiVersion"], _ = json.Marshal(list.APIVersion)
	completed, err := json.Marshal(fields)
	if err != nil {
		return item
	}
	return completed
}
