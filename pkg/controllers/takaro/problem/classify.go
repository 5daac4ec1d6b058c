// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/flight"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/netguard"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Unusable returns why an endpoint with an invalid token or CA bundle stops the work. Both are read
// from Secrets.
func Unusable(err error, from endpoint.Sources) *base.Blocked {
	var input *takaro.InputError
	if !errors.As(err, &input) {
		return Classify("preparing the connection", err)
	}
	return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonSecretKeyMissing,
		Message: fmt.Sprintf("the endpoint's credentials cannot be used: %v; put them right in %s", err, from)}
}

// Naming adds the source of the token to the message about a token that Takaro rejected, which an
// error of Takaro's client does not contain. It returns a modified copy, or blocked unchanged.
// blocked may be nil.
func Naming(blocked *base.Blocked, from endpoint.Sources) *base.Blocked {
	if blocked == nil || blocked.Reason != v1alpha1.ReasonAdminTokenRefused || from.Token == "" {
		return blocked
	}
	named := *blocked
	named.Message += "; put a valid admin token into " + from.Token
	return &named
}

// Classify returns how an error, which must not be nil, stops the work. doing completes "while …"
// in the message.
func Classify(doing string, err error) *base.Blocked {
	var known *base.Blocked
	var taken *secrets.NameTakenError
	var notServed *secrets.NamespaceNotServedError
	var stopped *outside.StoppedError
	switch {
	case errors.As(err, &stopped):
		return OfDecision(stopped.Decision)
	case errors.As(err, &known):
		return known
	case errors.As(err, &taken):
		return &base.Blocked{Reason: v1alpha1.ReasonSecretNameTaken, Message: taken.Error()}
	case errors.As(err, &notServed):
		// A change of this requires a restart of the controller with other flags.
		return &base.Blocked{Reason: v1alpha1.ReasonNamespaceNotServed, Message: notServed.Error()}
	default:
		return classifyTakaro(fmt.Sprintf("while %s: %s", doing, steady(err)), err)
	}
}

// classifyTakaro classifies an error of the Takaro client. An error of another origin is retried.
func classifyTakaro(message string, err error) *base.Blocked {
	var open *takaro.CircuitOpenError
	if errors.As(err, &open) {
		return &base.Blocked{
			Unknown: true, Reason: v1alpha1.ReasonEndpointUnavailable, Message: message,
			RequeueAfter: CircuitWait, Steady: open.For < outageTolerated,
		}
	}
	if wait, ok := takaro.RetryAfter(err); ok {
		return &base.Blocked{
			Unknown: true, Reason: v1alpha1.ReasonRateLimited, Message: message + "; waiting as asked",
			RequeueAfter: max(wait, time.Second), Steady: true,
		}
	}
	again := func(reason string) *base.Blocked {
		return &base.Blocked{Unknown: true, Reason: reason, Message: message + "; trying again", Err: err}
	}
	var input *takaro.InputError
	var transport *takaro.TransportError
	var answer *takaro.APIError
	switch {
	case takaro.IsSearchTooLarge(err):
		return &base.Blocked{Reason: v1alpha1.ReasonSearchTooLarge, Message: message, RequeueAfter: ForeignWait}
	case errors.Is(err, flight.ErrLate):
		return again(v1alpha1.ReasonEndpointUnavailable)
	case takaro.IsIncomplete(err):
		return again(ownership.ReasonSearchIncomplete)
	case takaro.IsUnauthorized(err):
		return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonAdminTokenRefused, Message: message, RequeueAfter: RefusedWait}
	case netguard.IsRefused(err), errors.As(err, &input):
		return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonEndpointRefused, Message: message}
	case errors.As(err, &answer) && answer.Status >= http.StatusInternalServerError:
		// This includes the response of a proxy: its error page does not mean that Takaro is not
		// behind it.
		return again(v1alpha1.ReasonEndpointUnavailable)
	case takaro.IsRateLimited(err):
		limited := again(v1alpha1.ReasonRateLimited)
		limited.Steady = true
		return limited
	case takaro.IsForeign(err):
		return again(v1alpha1.ReasonEndpointNotTakaro)
	case takaro.IsTerminal(err):
		return &base.Blocked{Reason: v1alpha1.ReasonRequestRefused, Message: message + "; change the spec"}
	case errors.As(err, &transport):
		return again(v1alpha1.ReasonEndpointUnavailable)
	default:
		return &base.Blocked{Reason: v1alpha1.ReasonRequestFailed, Message: message + "; trying again", Err: err}
	}
}
