// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// admit checks the caller in the order of the real API: credentials, permissions, state of the
// domain.
func (s *Server) admit(rt route, r *request) *apiError {
	switch rt.access {
	case public:
		return nil
	case admin:
		return s.admitAdmin(r)
	}
	r.stateful = rt.access == stateful
	if e := s.identify(r); e != nil {
		return e
	}
	if e := permitted(r.domain, r.user, rt.permissions); e != nil {
		return e
	}
	if rt.access == stateful {
		return usable(r)
	}
	return nil
}

func (s *Server) admitAdmin(r *request) *apiError {
	given := r.header.Get("X-Takaro-Admin-Token")
	switch {
	case given == "":
		return unauthorized()
	case r.faults.revoked || given != s.adminToken:
		return forbidden()
	}
	return nil
}

// identify sets the domain and the user of a request from its domain token or session, and updates
// the lastSeen of the user.
func (s *Server) identify(r *request) *apiError {
	e := unauthorized()
	if token := r.header.Get("X-Takaro-Token"); token != "" {
		e = s.identifyByToken(r, token)
	} else if bearer, found := strings.CutPrefix(r.header.Get("Authorization"), "Bearer "); found {
		e = s.identifyBySession(r, bearer)
	}
	if e == nil {
		r.user.lastSeen = s.timestamp()
		r.user.updated = r.user.lastSeen
	}
	return e
}

func (s *Server) identifyByToken(r *request, token string) *apiError {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return s.jwtSecret, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer("takaro"), jwt.WithAudience("takaro"),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.opts.Now))
	if err != nil {
		return forbidden()
	}
	domainID, _ := claims["domainId"].(string)
	userID, _ := claims["sub"].(string)
	d := s.state.domains[domainID]
	if d == nil || d.users[userID] == nil {
		return unauthorized()
	}
	r.domain, r.user = d, d.users[userID]
	return nil
}

// identifyBySession uses the domain of the header or cookie, or else the first ACTIVE domain of the
// identity. If there is no ACTIVE domain, paths that check the state, such as POST /role/search,
// answer 400 with the state of the oldest domain, and all others answer 401.
func (s *Server) identifyBySession(r *request, token string) *apiError {
	who := s.state.sessions[token]
	if who == nil {
		return unauthorized()
	}
	r.session = true
	wanted := r.header.Get("X-Takaro-Domain")
	if wanted == "" {
		wanted = r.cookie("takaro-domain")
	}
	for _, d := range s.domainsOf(who.id) {
		if wanted == d.id || wanted == "" && d.state == StateActive {
			r.domain, r.user = d, d.userOf(who.id)
			if wanted == "" {
				r.setCookie = d.id
			}
			return nil
		}
	}
	if domains := s.domainsOf(who.id); wanted == "" && r.stateful && len(domains) > 0 {
		r.domain, r.user = domains[0], domains[0].userOf(who.id) // the state check refuses it
		return nil
	}
	return unauthorized()
}

// domainsOf lists the domains with a user of this identity, oldest first.
func (s *Server) domainsOf(idpID string) []*domain {
	var out []*domain
	for _, d := range s.state.domains {
		if d.userOf(idpID) != nil {
			out = append(out, d)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].created < out[j].created || out[i].created == out[j].created && out[i].id < out[j].id
	})
	return out
}

func (d *domain) userOf(idpID string) *user {
	for _, u := range d.users {
		if u.idpID == idpID {
			return u
		}
	}
	return nil
}

func permitted(d *domain, u *user, needed []string) *apiError {
	manages := slices.ContainsFunc(needed, func(p string) bool { return strings.HasPrefix(p, "MANAGE_") })
	if manages && !u.dashboard && !u.may(d, permRoot) {
		return badRequest("You must be a dashboard user")
	}
	for _, p := range needed {
		if !u.may(d, p) {
			return forbidden()
		}
	}
	return nil
}

// usable is the state check: only an ACTIVE domain passes. The two messages for maintenance are
// those of the real API.
func usable(r *request) *apiError {
	switch {
	case r.domain.state == StateDisabled:
		return badRequest("Domain is disabled. Please contact support.")
	case r.domain.state == StateMaintenance && r.session:
		return badRequest("Domain is in maintenance mode. Please try again later or contact support if the issue persists.")
	case r.domain.state == StateMaintenance:
		return badRequest("Domain is in maintenance mode. Please try again later.")
	}
	return nil
}

// createToken returns a domain token: a JWT for the user named root. Every failure is a 500.
func createToken(s *Server, r *request) reply {
	d := s.state.domains[r.body["domainId"].(string)]
	if d == nil || d.root() == nil {
		return fail(internal())
	}
	now := s.opts.Now()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"aud": "takaro", "iss": "takaro", "sub": d.root().id, "domainId": d.id,
		"iat": now.Unix(), "exp": now.Add(s.opts.TokenLifetime).Unix(),
	}).SignedString(s.jwtSecret)
	if err != nil {
		return fail(internal())
	}
	return ok(map[string]string{"token": token})
}

// root returns the user named root, the one with the lowest id if there are several, or nil in a
// half-created domain.
func (d *domain) root() *user {
	var found *user
	for _, u := range d.users {
		if u.name == roleRoot && (found == nil || u.id < found.id) {
			found = u
		}
	}
	return found
}

// login checks the password of an identity. What the session may access is decided when it is used.
func login(s *Server, r *request) reply {
	i := s.state.identities[strings.ToLower(r.body["username"].(string))]
	if i == nil || i.password == "" || i.password != r.body["password"].(string) {
		return fail(unauthorized())
	}
	token := newSessionToken()
	s.state.sessions[token] = i
	return ok(map[string]string{"token": token})
}

func logout(s *Server, r *request) reply {
	delete(s.state.sessions, strings.TrimPrefix(r.header.Get("Authorization"), "Bearer "))
	return reply{status: http.StatusOK, envelope: envelope{Data: struct{}{}}}
}
