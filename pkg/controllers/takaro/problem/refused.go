// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"errors"

	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Refused converts the error of a create. err is the error of Takaro's client, and reported
// describes it. If the request certainly had no effect, reported is returned as an
// *outside.RefusedError, and unchanged otherwise.
func Refused(err, reported error) error {
	var transport *takaro.TransportError
	var answer *takaro.APIError
	var limited *takaro.RateLimitedError
	var input *takaro.InputError
	refused := false
	switch {
	case errors.As(err, &answer):
		refused = ownership.ClearlyRefused(true, answer.Status)
	case errors.As(err, &transport):
		refused = ownership.ClearlyRefused(transport.Sent, 0)
	case takaro.IsCircuitOpen(err), errors.As(err, &limited), errors.As(err, &input):
		refused = ownership.ClearlyRefused(false, 0)
	}
	if !refused {
		return reported
	}
	return &outside.RefusedError{Err: reported}
}
