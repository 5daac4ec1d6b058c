// SPDX-License-Identifier: Apache-2.0

package crdreview

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/crdcompat"
)

// Stored is a CRDSchema by its name and the JSON of its definition.
type Stored struct {
	Name       string
	Definition []byte
}

// Decode reads the definition; the error names the CRDSchema.
func (s Stored) Decode() (*apiextensionsv1.CustomResourceDefinition, error) {
	definition, err := Decode(s.Definition)
	if err != nil {
		return nil, fmt.Errorf("spec.definition of CRDSchema %s: %w", s.Name, err)
	}
	return definition, nil
}

// ChangeDigest is the digest of the change from one stored definition to another: what an approval is bound to, for whoever
// gives it and for whoever carries it out.
func ChangeDigest(old, new Stored) (string, error) {
	before, err := old.Decode()
	if err != nil {
		return "", err
	}
	after, err := new.Decode()
	if err != nil {
		return "", err
	}
	return crdcompat.Digest(before, after), nil
}
