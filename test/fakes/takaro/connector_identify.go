// SPDX-License-Identifier: Apache-2.0

package takaro

import "encoding/json"

// identifyError is an error as the connector shows it to a game server.
type identifyError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	HTTP    int    `json:"http"`
}

// identifyAnswer has exactly one of its two fields set.
type identifyAnswer struct {
	GameServerID string         `json:"gameServerId,omitempty"`
	Error        *identifyError `json:"error,omitempty"`
}

// receiveIdentify answers an identify message, unless a FaultConnectorSilent is active.
func (s *Server) receiveIdentify(c *session, payload json.RawMessage) {
	if s.takeFault(FaultConnectorSilent) {
		return
	}
	var in map[string]any
	_ = json.Unmarshal(payload, &in) // a payload that is not an object has none of the fields
	s.mu.Lock()
	s.catchUp()
	g, e := s.identifySession(c, in)
	answer := identifyAnswer{}
	if e != nil {
		s.connector.counts.Refused++
		answer.Error = &identifyError{Name: e.Code, Message: e.Message, HTTP: e.status}
	} else {
		s.connector.counts.Identified[c.identity]++
		answer.GameServerID = g.id
	}
	lists := e == nil && s.realism.ListArrays
	s.mu.Unlock()
	c.send("identifyResponse", answer, "")
	if lists {
		s.connector.running.Go(func() { s.requestLists(c) })
	}
}

// identifySession does what the real connector requests from the API, in the same order: the domain
// of the registration token, a domain token, a search (whose state check refuses MAINTENANCE and
// DISABLED), and a create if the search finds nothing.
func (s *Server) identifySession(c *session, in map[string]any) (*gameServer, *apiError) {
	if in == nil {
		return nil, badRequest("No payload provided")
	}
	for _, key := range []string{"identityToken", "registrationToken"} {
		v, isText := in[key].(string)
		switch {
		case in[key] == nil, isText && v == "":
			return nil, badRequest("No " + key + " provided")
		case !isText:
			return nil, badRequest("Invalid " + key + " provided")
		}
	}
	identity, name := in["identityToken"].(string), in["identityToken"].(string)
	if given, isText := in["name"].(string); isText && given != "" {
		name = given
	}
	d := s.domainOfToken(in["registrationToken"].(string))
	if d == nil {
		return nil, notFound()
	}
	if d.root() == nil {
		return nil, internal()
	}
	if e := usable(&request{domain: d}); e != nil {
		return nil, e
	}
	g, e := s.serverFor(d, identity, name)
	if e != nil {
		return nil, e
	}
	if _, open := s.connector.sessions[c]; !open {
		return g, nil // cut during the requests: the record stays, as in Takaro
	}
	c.domainID, c.identity, c.serverID, c.forgotten = d.id, identity, g.id, false
	s.connector.byServer[g.id] = c
	g.connected, g.reachable, g.dialed = true, true, true
	return g, nil
}

// domainOfToken returns the domain of a registration token, or nil. A DISABLED domain counts as
// unknown.
func (s *Server) domainOfToken(token string) *domain {
	for _, d := range s.state.domains {
		if d.registrationToken == token && d.state != StateDisabled {
			return d
		}
	}
	return nil
}

// serverFor returns the GENERIC game server with this identity token and creates it with the name
// if none exists.
func (s *Server) serverFor(d *domain, identity, name string) (*gameServer, *apiError) {
	if g := d.serverByIdentity(identity); g != nil {
		return g, nil
	}
	info, err := json.Marshal(map[string]string{"identityToken": identity})
	if err != nil { // cannot happen: a map of strings
		return nil, internal()
	}
	body := map[string]any{"name": name, "type": "GENERIC", "connectionInfo": string(info), "identityToken": identity}
	if v := gameServerCreate.validate(body); len(v) > 0 {
		return nil, validationError(v)
	}
	return s.insertGameServer(d, name, "GENERIC", &identity, string(info))
}
