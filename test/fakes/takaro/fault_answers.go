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

// The kinds of faults with which Takaro lies or keeps a client waiting.
const (
	// FaultTruncate answers a search as if the table had only its first Fault.Rows rows; other
	// answers stay.
	FaultTruncate FaultKind = "truncate"
	// FaultEndless is after: an answer that does not end before the client leaves, Fault.Latency
	// between two parts.
	FaultEndless FaultKind = "endless"
	// FaultOutlast is after: the answer is held until the client has left, at most Fault.Latency
	// when that is set. On POST /domain the row exists at once and the root user is created when
	// the client has left.
	FaultOutlast FaultKind = "outlast"
)

// ShownTotal is what FaultTruncate shows as the total of a search.
type ShownTotal string

// The totals of FaultTruncate.
const (
	TotalTrue ShownTotal = "true" // that of all rows, so that a client can see that some are missing
	TotalLie  ShownTotal = "lie"  // that of the rows that are left: the answer looks complete
)

// UnmarshalJSON reads the text, or the boolean true for TotalTrue.
func (t *ShownTotal) UnmarshalJSON(raw []byte) error {
	if string(raw) == "true" {
		*t = TotalTrue
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

// checkTruncation returns an error for rows and totals that make no sense, and sets the default
// total.
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

// truncate cuts a page of a search down to what the first rows of the result are on it.
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

// endlessPart is the least size of what is written between two pauses.
const endlessPart = 32 << 10

// pourOut writes an answer that does not end: the rows of a list again and again, each of them
// valid, or one text.
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

// endless returns the start of an endless answer and what follows it for ever.
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

// outlasting returns a request whose context ends when a FaultOutlast has held the answer for long
// enough.
func (f Fault) outlasting(hr *http.Request) (*http.Request, context.CancelFunc) {
	if f.Kind != FaultOutlast || f.Latency == 0 {
		return hr, func() {}
	}
	ctx, cancel := context.WithTimeout(hr.Context(), f.Latency)
	return hr.WithContext(ctx), cancel
}

// hold waits while a FaultOutlast keeps the answer back. It reports false when the server was
// closed meanwhile.
func (s *Server) hold(hr *http.Request, f Fault) bool {
	if f.Kind == FaultOutlast {
		<-hr.Context().Done() // ends with the client's connection, and so with the server
	}
	return s.stopped.Err() == nil
}
