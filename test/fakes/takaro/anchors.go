// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"cmp"
	"slices"
	"strings"
)

// AnchorPrefix is the beginning of the external reference of every anchor: a domain by which an
// installation of Roadstead recognizes its Takaro.
const AnchorPrefix = "roadstead-anchor:"

// Anchor is a copy of one anchor at one moment.
type Anchor struct {
	Domain
	// CreatedAt and UpdatedAt are as the API shows them. A changed UpdatedAt means that the anchor
	// was updated.
	CreatedAt, UpdatedAt string
}

// Anchors returns copies of the anchors, ordered by id. Domains leaves them out.
func (s *Server) Anchors() []Anchor {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Anchor
	for _, d := range s.state.domains {
		if d.isAnchor() {
			out = append(out, Anchor{Domain: s.snapshot(d), CreatedAt: d.created, UpdatedAt: d.updated})
		}
	}
	slices.SortFunc(out, func(a, b Anchor) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (d *domain) isAnchor() bool {
	return d.reference != nil && strings.HasPrefix(*d.reference, AnchorPrefix)
}
