// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// index is what is kept of an index.yaml: the versions of each chart.
type index map[string][]entry

// entry is one version of a chart.
type entry struct {
	Version string   `json:"version"`
	URLs    []string `json:"urls"`
	// Digest is the SHA-256 of the archive in hex, or empty.
	Digest  string `json:"digest"`
	Removed bool   `json:"removed"`
}

// decodeIndex reads an index.yaml, which may be JSON. Of an error nothing is told but that it is none: the text would hold
// parts of the content.
func decodeIndex(content []byte) (index, error) {
	var file struct {
		APIVersion string              `json:"apiVersion"`
		Entries    map[string][]*entry `json:"entries"`
	}
	invalid := &Error{Kind: KindInvalid, Message: "its index.yaml is no index of a chart repository"}
	// JSON is valid YAML, but read much faster as what it is.
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
