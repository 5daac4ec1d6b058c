// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

func TestClassification(t *testing.T) {
	const notFound, conflict, unauthorized, terminal, unclear, foreign, open = "notFound", "conflict", "unauthorized", "terminal",
		"unclear", "foreign", "open"
	functions := map[string]func(error) bool{
		notFound: IsNotFound, conflict: IsConflict, unauthorized: IsUnauthorized, terminal: IsTerminal,
		unclear: IsUnclear, foreign: IsForeign, open: IsCircuitOpen,
	}
	api := func(status int, code string) error { return &APIError{Status: status, Code: code} }
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"nil":                   {nil, nil},
		"other":                 {errors.New("x"), nil},
		"cancelled before send": {context.Canceled, nil},
		"400 validation":        {api(400, "ValidationError"), []string{terminal}},
		"400 bad request":       {api(400, "BadRequestError"), []string{terminal}},
		"401":                   {api(401, "UnauthorizedError"), []string{unauthorized}},
		"403":                   {api(403, "ForbiddenError"), []string{unauthorized, terminal}},
		"404":                   {api(404, "NotFoundError"), []string{notFound, terminal}},
		"404 of another kind":   {api(404, "SomeError"), []string{terminal}},
		"404 page":              {api(404, ""), []string{foreign}},
		"403 page":              {api(403, ""), []string{foreign}},
		"401 page":              {api(401, ""), []string{foreign}},
		"409":                   {api(409, "ConflictError"), []string{conflict}},
		"409 page":              {api(409, ""), []string{foreign}},
		"422":                   {api(422, "X"), []string{terminal}},
		"429":                   {api(429, "TooManyRequestsError"), nil},
		"429 page":              {api(429, ""), []string{foreign}},
		"500":                   {api(500, "InternalServerError"), []string{unclear}},
		"502 page":              {api(502, ""), []string{unclear, foreign}},
		"301":                   {api(301, ""), []string{foreign}},
		"dropped after send":    {&TransportError{Sent: true, Err: errors.New("EOF")}, []string{unclear}},
		"not connected":         {&TransportError{Err: errors.New("refused")}, nil},
		"unreadable":            {&TransportError{Sent: true, Err: fmt.Errorf("%w (x)", errNotTakaro)}, []string{unclear, foreign}},
		"guarded":               {&TransportError{Err: &netguard.RefusedError{}}, []string{terminal}},
		"input":                 {&InputError{Message: "x"}, []string{terminal}},
		"circuit":               {&CircuitOpenError{}, []string{open}},
		"limited":               {&RateLimitedError{}, nil},
	} {
		for _, err := range []error{c.err, wrapped(c.err)} {
			var got []string
			for _, f := range []string{notFound, conflict, unauthorized, terminal, unclear, foreign, open} {
				if functions[f](err) {
					got = append(got, f)
				}
			}
			assert.Equal(t, c.want, got, "%s: %v", name, err)
		}
	}
}

func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("domain x: %w", err)
}

func TestRetryAfterOfErrors(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want time.Duration
		ok   bool
	}{
		"nil":     {nil, 0, false},
		"api":     {wrapped(&APIError{RetryAfter: 3 * time.Second}), 3 * time.Second, true},
		"none":    {&APIError{}, 0, false},
		"limited": {wrapped(&RateLimitedError{After: time.Second}), time.Second, true},
		"circuit": {&CircuitOpenError{After: 2 * time.Second}, 2 * time.Second, true},
		"other":   {&TransportError{}, 0, false},
	} {
		d, ok := RetryAfter(c.err)
		assert.Equal(t, c.want, d, name)
		assert.Equal(t, c.ok, ok, name)
	}
}
