// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
)

// The kinds of faults with which Takaro returns wrong data or keeps a client waiting.
const (
	// FaultTruncate answers a search as if the table had only its first Fault.Rows rows. Other
	// responses do not change.
	FaultTruncate FaultKind = "truncate"
	// FaultEndless is after: a response that does not end before the client disconnects, with
	// Fault.Latency between two parts.
	FaultEndless FaultKind = "endless"
	// FaultOutlast is after: the response is held until the client has disconnected, for at most
	// Fault.Latency if that is set. On POST /domain the row exists immediately and the root user is
	// created when the client has disconnected.
	FaultOutlast FaultKind = "outlast"
)

// ShownTotal is what FaultTruncate shows as the total of a search.
type ShownTotal string

// The totals of FaultTruncate.
const (
	TotalTrue ShownTotal = "true" // the number of all rows, so that a client can detect that some are missing
	TotalLie  ShownTotal = "lie"  // the number of rows that are left: the response looks complete
)

// UnmarshalJSON accepts the text, or the boolean true for TotalTrue.
func (t *ShownTotal) UnmarshalJSON(raw []byte) error {
	if string(raw) == "true" {
		*t = TotalTrue
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

// checkTruncation returns an error for invalid rows and totals, and sets the default total.
func (f *Fault) checkTruncation() error {
	switch {
	case f.Kind != FaultTruncate && (f.Rows != 0 || f.Total != ""):
		return fmt.Errorf("rows and total are for fault kind %s only", FaultTruncate)
	case f.Rows < 0:
		return errors.New("rows of a fault cannot be negative")
	case f.Kind != FaultTruncate:
		return nil
	case f.Total == "":
		f.Total = TotalTrue
	case f.Total != TotalTrue && f.Total != TotalLie:
		return fmt.Errorf("total %q of a fault is unknown: use %s or %s", f.Total, TotalTrue, TotalLie)
	}
	return nil
}

// truncate reduces a page of a search to those of the first rows of the result that are on it.
func (f Fault) truncate(answer reply) reply {
	shown := &answer.envelope.Meta
	rows := reflect.ValueOf(answer.envelope.Data)
	if shown.Total == nil || rows.Kind() != reflect.Slice {
		return answer
	}
	left := max(f.Rows-*shown.Page**shown.Limit, 0)
	answer.envelope.Data = rows.Slice(0, min(left, rows.Len())).Interface()
	if f.Total == TotalLie {
		total := min(f.Rows, *shown.Total)
		shown.Total = &total
	}
	return answer
}

// endlessPart is the minimum size in bytes of what is written between two pauses.
const endlessPart = 32 << 10

// pourOut writes a response that does not end: the rows of a list repeatedly, each of them valid,
// or one text.
func (s *Server) pourOut(w http.ResponseWriter, hr *http.Request, f Fault, rep reply) {
	start, part := rep.endless()
	out := http.NewResponseController(w)
	_, err := w.Write([]byte(start))
	for err == nil {
		_ = out.Flush() // a writer that cannot flush sends the bytes together at the end
		if !s.sleep(hr.Context(), f.Latency) || s.stopped.Err() != nil {
			break
		}
		_, err = w.Write([]byte(part))
	}
	panic(http.ErrAbortHandler)
}

// endless returns the start of an endless response and the part that is repeated after it.
func (r reply) endless() (start, part string) {
	row := []byte(`{"filler":"` + strings.Repeat("x", 100) + `"}`)
	rows := reflect.ValueOf(r.envelope.Data)
	if r.contentType != "" || rows.Kind() != reflect.Slice {
		return `{"meta":{},"data":"`, strings.Repeat("x", endlessPart)
	}
	if rows.Len() > 0 {
		row, _ = json.Marshal(rows.Index(0).Interface()) // rows are plain structs: they always encode
	}
	shown, _ := json.Marshal(r.envelope.Meta) // as above
	part = strings.Repeat(","+string(row), endlessPart/len(row)+1)
	return `{"meta":` + string(shown) + `,"data":[` + string(row), part
}

// outlasting returns a request whose context ends when a FaultOutlast has held the response for
// Fault.Latency.
func (f Fault) outlasting(hr *http.Request) (*http.Request, context.CancelFunc) {
	if f.Kind != FaultOutlast || f.Latency == 0 {
		return hr, func() {}
	}
	ctx, cancel := context.WithTimeout(hr.Context(), f.Latency)
	return hr.WithContext(ctx), cancel
}

// hold waits while a FaultOutlast holds the response. It reports false if the server was closed in
// the meantime.
func (s *Server) hold(hr *http.Request, f Fault) bool {
	if f.Kind == FaultOutlast {
		<-hr.Context().Done() // ends with the client's connection, and so with the server
	}
	return s.stopped.Err() == nil
}
