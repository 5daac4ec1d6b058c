// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"html"
	"net/http"
)

// Error codes of the envelope.
const (
	codeValidation   = "ValidationError"
	codeBadRequest   = "BadRequestError"
	codeUnauthorized = "UnauthorizedError"
	codeForbidden    = "ForbiddenError"
	codeNotFound     = "NotFoundError"
	codeConflict     = "ConflictError"
	codeTooMany      = "TooManyRequestsError"
	codeInternal     = "InternalServerError"
)

// reply is a response before it is written. Its data are copies, so that they can be encoded
// without the lock.
type reply struct {
	status      int
	contentType string
	header      http.Header
	body        []byte // used instead of envelope when contentType is set
	envelope    envelope
}

type envelope struct {
	Meta meta `json:"meta"`
	Data any  `json:"data"`
}

type meta struct {
	Page  *int      `json:"page,omitempty"`
	Limit *int      `json:"limit,omitempty"`
	Total *int      `json:"total,omitempty"`
	Error *apiError `json:"error,omitempty"`
}

type apiError struct {
	status  int
	Code    string `json:"code"`
	Details any    `json:"details,omitempty"`
	Message string `json:"message"`
}

// ok returns a 200 with the data in an envelope. Nil data are written as {}.
func ok(data any) reply {
	if data == nil {
		data = struct{}{}
	}
	return reply{status: http.StatusOK, envelope: envelope{Data: data}}
}

func okPage(data any, p page, total int) reply {
	return reply{status: http.StatusOK, envelope: envelope{Meta: meta{Page: &p.page, Limit: &p.limit, Total: &total}, Data: data}}
}

func fail(e *apiError) reply {
	return reply{status: e.status, envelope: envelope{Meta: meta{Error: e}, Data: struct{}{}}}
}

func text(status int, contentType, body string) reply {
	return reply{status: status, contentType: contentType, body: []byte(body)}
}

func badRequest(message string) *apiError {
	return &apiError{status: http.StatusBadRequest, Code: codeBadRequest, Message: message}
}

func invalid(message string, details any) *apiError {
	return &apiError{status: http.StatusBadRequest, Code: codeValidation, Details: details, Message: message}
}

func unauthorized() *apiError {
	return &apiError{status: http.StatusUnauthorized, Code: codeUnauthorized, Message: "Not authorized"}
}

func forbidden() *apiError {
	return &apiError{status: http.StatusForbidden, Code: codeForbidden, Message: "Forbidden"}
}

func notFound() *apiError {
	return &apiError{status: http.StatusNotFound, Code: codeNotFound, Message: "Not found"}
}

func conflict() *apiError {
	return &apiError{status: http.StatusConflict, Code: codeConflict, Message: "Unique constraint violation"}
}

func internal() *apiError {
	return &apiError{status: http.StatusInternalServerError, Code: codeInternal, Message: "Internal server error"}
}

// htmlPage returns the page that Express writes if no handler answered.
func htmlPage(status int, message string) reply {
	return text(status, "text/html; charset=utf-8",
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Error</title>\n</head>\n<body>\n<pre>"+
			html.EscapeString(message)+"</pre>\n</body>\n</html>\n")
}

// encode returns the content type and body to write.
func (r reply) encode() (string, []byte) {
	if r.contentType != "" {
		return r.contentType, r.body
	}
	b, err := json.Marshal(r.envelope)
	if err != nil { // cannot happen: all data are plain structs, maps and decoded JSON
		panic(err)
	}
	return jsonType, b
}
