// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// index is the used part of an index.yaml: the versions of each chart.
type index map[string][]entry

// entry is one version of a chart.
type entry struct {
	Version string   `json:"version"`
	URLs    []string `json:"urls"`
	// Digest is the SHA-256 of the archive in hex, or empty.
	Digest  string `json:"digest"`
	Removed bool   `json:"removed"`
}

// decodeIndex decodes an index.yaml, which may be JSON. Errors do not contain the decoder's text, because it contains parts
// of the content.
func decodeIndex(content []byte) (index, error) {
	var file struct {
		APIVersion string              `json:"apiVersion"`
		Entries    map[string][]*entry `json:"entries"`
	}
	invalid := &Error{Kind: KindInvalid, Message: "index.yaml is not an index of a chart repository"}
	// JSON is valid YAML, but the JSON decoder is much faster.
	if json.Unmarshal(content, &file) != nil {
		file.APIVersion, file.Entries = "", nil
		if err := yaml.Unmarshal(content, &file); err != nil {
			invalid.Err = err
			return nil, invalid
		}
	}
	if file.APIVersion == "" {
		return nil, invalid
	}
	found := make(index, len(file.Entries))
	for name, entries := range file.Entries {
		for _, one := range entries {
			if one != nil && !one.Removed && one.Version != "" {
				found[name] = append(found[name], *one)
			}
		}
	}
	return found, nil
}
