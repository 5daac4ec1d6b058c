// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"net/http"
)

// snapshotJSON is the body of snapshot and restore. The empty name is valid.
type snapshotJSON struct {
	Name           string `json:"name,omitempty"`
	KeepIdentities bool   `json:"keepIdentities,omitempty"` // restore only
}

// swapJSON is the body of swap and, with the names filled in, its answer.
type swapJSON struct {
	Database       string `json:"database"`
	Former         string `json:"former,omitempty"` // answer only
	KeepIdentities bool   `json:"keepIdentities,omitempty"`
}

// strangerJSON is the wire format of a Stranger.
type strangerJSON struct {
	Reference string `json:"reference"`
	Name      string `json:"name,omitempty"`
	State     string `json:"state,omitempty"`
	Replace   bool   `json:"replace,omitempty"`
}

// controlDatabases adds the paths that replace the state of the stand-in.
func (s *Server) controlDatabases(mux *http.ServeMux) {
	mux.HandleFunc("POST "+controlPrefix+"snapshot", func(w http.ResponseWriter, r *http.Request) {
		var in snapshotJSON
		if controlReadOptional(w, r, &in) {
			s.SaveSnapshot(in.Name)
			w.WriteHeader(http.StatusNoContent)
		}
	})
	mux.HandleFunc("POST "+controlPrefix+"restore", func(w http.ResponseWriter, r *http.Request) {
		var in snapshotJSON
		if !controlReadOptional(w, r, &in) {
			return
		}
		if err := s.RestoreSnapshot(in.Name, in.KeepIdentities); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST "+controlPrefix+"swap", func(w http.ResponseWriter, r *http.Request) {
		var in swapJSON
		if controlReadOptional(w, r, &in) {
			former, current := s.SwapDatabase(in.Database, in.KeepIdentities)
			controlJSON(w, http.StatusOK, swapJSON{Database: current, Former: former})
		}
	})
	mux.HandleFunc("POST "+controlPrefix+"empty", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			KeepIdentities bool `json:"keepIdentities"`
		}
		if controlReadOptional(w, r, &in) {
			s.EmptyDatabase(in.KeepIdentities)
			w.WriteHeader(http.StatusNoContent)
		}
	})
	mux.HandleFunc("POST "+controlPrefix+"stranger", s.controlStranger)
}

func (s *Server) controlStranger(w http.ResponseWriter, r *http.Request) {
	var in strangerJSON
	if !controlRead(w, r, &in) {
		return
	}
	d, err := s.PlantStranger(Stranger(in))
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	controlJSON(w, http.StatusCreated, map[string]string{"id": d.ID})
}

// controlReadOptional is controlRead for paths that need no body.
func controlReadOptional(w http.ResponseWriter, r *http.Request, into any) bool {
	if r.ContentLength == 0 {
		return true
	}
	return controlRead(w, r, into)
}
