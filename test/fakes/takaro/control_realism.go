// SPDX-License-Identifier: Apache-2.0

package takaro

import "net/http"

// clockJSON is the body of clock.
type clockJSON struct {
	Advance string `json:"advance"`
}

// syncJSON is the body of sync.
type syncJSON struct {
	Unreadable bool `json:"unreadable,omitempty"`
}

// roundJSON is the response to a round: the number of game servers that were forgotten and of
// records that were purged.
type roundJSON struct {
	Forgotten int `json:"forgotten"`
	Purged    int `json:"purged"`
}

// controlRealism adds the paths of Realism: its switches, its clock and its rounds.
func (s *Server) controlRealism(mux *http.ServeMux) {
	mux.HandleFunc("GET "+controlPrefix+"realism", func(w http.ResponseWriter, _ *http.Request) {
		controlJSON(w, http.StatusOK, s.Realism())
	})
	mux.HandleFunc("PUT "+controlPrefix+"realism", func(w http.ResponseWriter, r *http.Request) {
		var in Realism
		if controlRead(w, r, &in) {
			s.SetRealism(in)
			controlJSON(w, http.StatusOK, s.Realism())
		}
	})
	mux.HandleFunc("POST "+controlPrefix+"clock", func(w http.ResponseWriter, r *http.Request) {
		var in clockJSON
		if !controlRead(w, r, &in) {
			return
		}
		by, err := controlDuration(in.Advance, "advance")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.AdvanceClock(by)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("POST "+controlPrefix+"sync", func(w http.ResponseWriter, r *http.Request) {
		var in syncJSON
		if controlReadOptional(w, r, &in) {
			controlJSON(w, http.StatusOK, roundJSON{Forgotten: s.SyncConnector(in.Unreadable)})
		}
	})
	mux.HandleFunc("POST "+controlPrefix+"purge", func(w http.ResponseWriter, _ *http.Request) {
		controlJSON(w, http.StatusOK, roundJSON{Purged: s.PurgeGameServers()})
	})
	mux.HandleFunc("GET "+controlPrefix+"connector", func(w http.ResponseWriter, _ *http.Request) {
		controlJSON(w, http.StatusOK, s.ConnectorCounts())
	})
}
