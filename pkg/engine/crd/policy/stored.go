// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

// Stored is a CRDSchema: its name and the JSON of its CRD.
type Stored struct {
	Name       string
	Definition []byte
}

// Decode decodes the CRD. Errors name the CRDSchema.
func (s Stored) Decode() (*apiextensionsv1.CustomResourceDefinition, error) {
	definition, err := Decode(s.Definition)
	if err != nil {
		return nil, fmt.Errorf("spec.definition of CRDSchema %s: %w", s.Name, err)
	}
	return definition, nil
}

// ChangeDigest returns the digest of the change from one stored CRD to another, or of the second one alone
// if old is nil. An approval is bound to the digest, both when a user approves and when the controller
// applies the change.
func ChangeDigest(old *Stored, new Stored) (string, error) {
	var before *apiextensionsv1.CustomResourceDefinition
	var err error
	if old != nil {
		if before, err = old.Decode(); err != nil {
			return "", err
		}
	}
	after, err := new.Decode()
	if err != nil {
		return "", err
	}
	return compare.Digest(before, after), nil
}
