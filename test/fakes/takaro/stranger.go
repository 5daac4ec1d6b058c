// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"cmp"
	"errors"
	"fmt"
)

// Stranger describes a domain that another client of the API creates under a reference that
// Roadstead also uses.
type Stranger struct {
	Reference string // required
	Name      string // default "stranger"
	State     string // default ACTIVE
	// Replace first hard-deletes the domain that has the reference. Without it a reference that is
	// already in use is an error, because the column is unique in Takaro.
	Replace bool
}

// PlantStranger creates a domain with the reference and with a root user whose password is not
// returned, without a request. It returns an error if the reference is missing, invalid or already
// in use.
func (s *Server) PlantStranger(in Stranger) (Domain, error) {
	if in.Reference == "" {
		return Domain{}, errors.New("plant a stranger's domain: the reference is missing")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seed := Seed{Name: cmp.Or(in.Name, "stranger"), ExternalReference: in.Reference, State: in.State}
	if err := seed.check(); err != nil {
		return Domain{}, err
	}
	if d := s.state.domains[s.state.references[in.Reference]]; d != nil && in.Replace {
		s.removeDomain(d)
	}
	d, err := s.plant(seed)
	if err != nil {
		return Domain{}, err
	}
	root, _ := s.addRoot(d)
	s.assign(root, d.roleNamed(roleRoot), nil)
	return s.snapshot(d), nil
}

// ChangeReference sets another reference on a domain, as another client with the admin token may
// do, and returns the former one. It returns an error if the domain does not exist or the reference
// is already in use.
func (s *Server) ChangeReference(id, reference string) (former string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.state.domains[id]
	if d == nil {
		return "", fmt.Errorf("change the reference of domain %q: %w", id, ErrNoSuchObject)
	}
	if d.reference != nil {
		former = *d.reference
	}
	if e := s.changeDomain(d, map[string]any{"externalReference": reference}); e != nil {
		return "", fmt.Errorf("change the reference of domain %q to %q: %s", id, reference, e.Message)
	}
	return former, nil
}
