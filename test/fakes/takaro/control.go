// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// controlPrefix is the prefix of the control paths, see README.md.
const controlPrefix = "/__control/"

// faultJSON is the wire format of a Fault. Durations are strings such as 500ms or 2s.
type faultJSON struct {
	ID         string    `json:"id,omitempty"`
	Kind       FaultKind `json:"kind"`
	Method     string    `json:"method,omitempty"`
	Path       string    `json:"path,omitempty"`
	Times      int       `json:"times,omitempty"`
	Latency    string    `json:"latency,omitempty"`
	RetryAfter string    `json:"retryAfter,omitempty"`
	// Rows and Total apply to the kind truncate.
	Rows  int        `json:"rows,omitempty"`
	Total ShownTotal `json:"total,omitempty"`
}

func (f faultJSON) fault() (Fault, error) {
	out := Fault{Kind: f.Kind, Method: f.Method, Path: f.Path, Times: f.Times, Rows: f.Rows, Total: f.Total}
	for _, d := range []struct {
		text string
		to   *time.Duration
		name string
	}{{f.Latency, &out.Latency, "latency"}, {f.RetryAfter, &out.RetryAfter, "retryAfter"}} {
		var err error
		if *d.to, err = controlDuration(d.text, d.name+" of the fault"); err != nil {
			return Fault{}, err
		}
	}
	return out, nil
}

// controlDuration parses a duration. An empty text is zero.
func controlDuration(text, what string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w; write it like 500ms or 2s", what, err)
	}
	return d, nil
}

func wireFault(f Fault) faultJSON {
	out := faultJSON{ID: f.ID, Kind: f.Kind, Method: f.Method, Path: f.Path, Times: f.Times, Rows: f.Rows, Total: f.Total}
	if f.Latency > 0 {
		out.Latency = f.Latency.String()
	}
	if f.RetryAfter > 0 {
		out.RetryAfter = f.RetryAfter.String()
	}
	return out
}

// seedJSON is the wire format of a Seed.
type seedJSON struct {
	Name              string `json:"name"`
	ExternalReference string `json:"externalReference"`
	HalfMade          bool   `json:"halfMade"`
}

// serveControl answers the control paths. They need no credentials because the option is for tests
// on loopback.
func (s *Server) serveControl(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+controlPrefix+"faults", s.controlInject)
	mux.HandleFunc("GET "+controlPrefix+"faults", s.controlFaults)
	mux.HandleFunc("DELETE "+controlPrefix+"faults", func(w http.ResponseWriter, _ *http.Request) {
		s.ClearFaults()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE "+controlPrefix+"faults/{id}", s.controlRemove)
	mux.HandleFunc("GET "+controlPrefix+"requests", func(w http.ResponseWriter, _ *http.Request) {
		controlJSON(w,
			http.StatusOK, s.Requests())
	})
	mux.HandleFunc("DELETE "+controlPrefix+"requests", func(w http.ResponseWriter, _ *http.Request) {
		s.ResetCounts()
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE "+controlPrefix+"connections", func(w http.ResponseWriter, r *http.Request) {
		controlJSON(w, http.StatusOK, map[string]int{"dropped": s.DropConnections(r.URL.Query().Get("of"))})
	})
	mux.HandleFunc("GET "+controlPrefix+"domains", s.controlDomains)
	mux.HandleFunc("POST "+controlPrefix+"domains", s.controlPlant)
	s.controlDatabases(mux)
	s.controlRealism(mux)
	mux.HandleFunc("PUT "+controlPrefix+"create-time", s.controlCreateTime)
	for name, kind := range map[string]FaultKind{
		"truncate": FaultTruncate, "endless": FaultEndless, "drip": FaultSlowBody, "outlast": FaultOutlast,
	} {
		mux.HandleFunc("POST "+controlPrefix+name, func(w http.ResponseWriter, r *http.Request) { s.controlInjectKind(w, r, kind) })
	}
	mux.ServeHTTP(w, r)
}

func (s *Server) controlInject(w http.ResponseWriter, r *http.Request) {
	s.controlInjectKind(w, r, "")
}

// controlInjectKind injects a fault of a kind. If kind is empty, the body names it.
func (s *Server) controlInjectKind(w http.ResponseWriter, r *http.Request, kind FaultKind) {
	var in faultJSON
	if !controlRead(w, r, &in) {
		return
	}
	if kind != "" && in.Kind != "" && in.Kind != kind {
		http.Error(w, "this path injects "+string(kind)+" only: leave the kind out", http.StatusBadRequest)
		return
	}
	in.Kind = cmp.Or(kind, in.Kind)
	f, err := in.fault()
	if err == nil {
		f, err = s.injectFault(f)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	controlJSON(w, http.StatusCreated, wireFault(f))
}

func (s *Server) controlFaults(w http.ResponseWriter, _ *http.Request) {
	out := []faultJSON{}
	for _, f := range s.Faults() {
		out = append(out, wireFault(f))
	}
	controlJSON(w, http.StatusOK, out)
}

func (s *Server) controlRemove(w http.ResponseWriter, r *http.Request) {
	if !s.RemoveFault(r.PathValue("id")) {
		http.Error(w, "no fault "+r.PathValue("id")+": it has run out or never was", http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) controlPlant(w http.ResponseWriter, r *http.Request) {
	var in seedJSON
	if !controlRead(w, r, &in) {
		return
	}
	seed := Seed{Name: in.Name, ExternalReference: in.ExternalReference}
	var d Domain
	var err error
	if in.HalfMade {
		d, err = s.PlantHalfMadeDomain(seed)
	} else {
		d, _, err = s.PlantDomain(seed)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	controlJSON(w, http.StatusCreated, map[string]string{"id": d.ID})
}

// controlDomains prints a table, or JSON for Accept: application/json. Neither shows a token or a
// password.
func (s *Server) controlDomains(w http.ResponseWriter, r *http.Request) {
	domains := s.Domains()
	for i := range domains {
		domains[i].RegistrationToken = ""
	}
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		controlJSON(w, http.StatusOK, domains)
		return
	}
	// The table is sorted by name because ids are random.
	slices.SortStableFunc(domains, func(a, b Domain) int { return cmp.Compare(a.Name, b.Name) })
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "ID\tNAME\tREFERENCE\tSTATE\tROOT\tUSERS\tSERVERS\tREACHABLE")
	for _, d := range domains {
		reachable := 0
		for _, g := range d.GameServers {
			if g.Reachable {
				reachable++
			}
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%t\t%d/%d\t%d/%d\t%d\n", d.ID, d.Name, d.ExternalReference, d.State, d.HasRoot,
			len(d.Users), d.MaxUsers, len(d.GameServers), d.MaxGameServers, reachable)
	}
	_ = t.Flush() // a client that has disconnected needs no answer
}

func controlRead(w http.ResponseWriter, r *http.Request, into any) bool {
	in := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	in.DisallowUnknownFields()
	if err := in.Decode(into); err != nil {
		http.Error(w, "the body is not what this path takes: "+err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func controlJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(v) // a client that has disconnected needs no answer
}
