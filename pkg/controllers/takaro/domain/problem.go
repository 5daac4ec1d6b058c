// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/netguard"
	"roadstead.dev/roadstead/pkg/takaro"
)

const (
	// circuitWait is a safety net only: the closing circuit wakes its objects.
	circuitWait = 2 * time.Minute
	// foreignWait is between looks at what only others can change, for example a reference that is taken.
	foreignWait = 5 * time.Minute
)

// problem is why the work stopped. With neither wait nor retry nothing happens before the spec or a Secret changes.
type problem struct {
	// condition is the type of the condition that turns False; reason and message go into it.
	condition, reason, message string
	// wait is how long until the next look, without back-off.
	wait time.Duration
	// retry is the error to back off on.
	retry error
}

func (p *problem) Error() string { return p.message }

// errOutdated stops an attempt that began with an object that is not the present one any more.
var errOutdated = errors.New("the object changed meanwhile")

// outdated tells whether nothing is wrong but that somebody else was faster: no status says that, the next attempt begins
// with what is there then.
func (p *problem) outdated() bool {
	return errors.Is(p.retry, errOutdated) || apierrors.IsConflict(p.retry)
}

// unusable is the problem of an endpoint whose token or CA, which come from Secrets, cannot be used.
func unusable(err error) *problem {
	var input *takaro.InputError
	if !errors.As(err, &input) {
		return classify("preparing the connection", err)
	}
	return &problem{condition: v1alpha1.ConditionEndpointReady, reason: v1alpha1.ReasonSecretKeyMissing,
		message: fmt.Sprintf("the endpoint's credentials cannot be used: %v; put right the Secret that holds them", err)}
}

// classify turns an error into a problem; doing completes "while …".
func classify(doing string, err error) *problem {
	var known *problem
	var unresolved *endpoint.Problem
	var taken *secrets.NameTakenError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &unresolved):
		return &problem{condition: v1alpha1.ConditionEndpointReady, reason: unresolved.Reason, message: unresolved.Message}
	case errors.As(err, &taken):
		return &problem{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonSecretNameTaken, message: taken.Error()}
	default:
		return classifyTakaro(doing, err)
	}
}

// classifyTakaro judges what the Takaro client returned; an error of another origin is retried.
func classifyTakaro(doing string, err error) *problem {
	message := fmt.Sprintf("while %s: %s", doing, steady(err))
	endpointProblem := func(reason, hint string) *problem {
		return &problem{condition: v1alpha1.ConditionEndpointReady, reason: reason, message: message + hint}
	}
	if takaro.IsCircuitOpen(err) {
		p := endpointProblem(v1alpha1.ReasonEndpointUnavailable, "")
		p.wait = circuitWait
		return p
	}
	if wait, ok := takaro.RetryAfter(err); ok {
		p := endpointProblem(v1alpha1.ReasonRateLimited, "; waiting as asked")
		p.wait = max(wait, time.Second)
		return p
	}
	var input *takaro.InputError
	var transport *takaro.TransportError
	var answer *takaro.APIError
	switch {
	case takaro.IsUnauthorized(err):
		p := endpointProblem(v1alpha1.ReasonAdminTokenRefused, "; put a valid admin token into the Secret")
		p.wait = refusedWait
		return p
	case netguard.IsRefused(err), errors.As(err, &input):
		return endpointProblem(v1alpha1.ReasonEndpointRefused, "")
	case errors.As(err, &answer) && answer.Status >= http.StatusInternalServerError:
		// Also of a proxy in front: its error page does not mean that Takaro is not behind it.
		p := endpointProblem(v1alpha1.ReasonEndpointUnavailable, "; trying again")
		p.retry = err
		return p
	case errors.As(err, &answer) && answer.Status == http.StatusTooManyRequests:
		p := endpointProblem(v1alpha1.ReasonRateLimited, "; trying again")
		p.retry = err
		return p
	case takaro.IsForeign(err):
		p := endpointProblem(v1alpha1.ReasonEndpointNotTakaro, "; trying again")
		p.retry = err
		return p
	case takaro.IsTerminal(err):
		return &problem{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonRequestRefused, message: message + "; change the spec"}
	case errors.As(err, &transport):
		p := endpointProblem(v1alpha1.ReasonEndpointUnavailable, "; trying again")
		p.retry = err
		return p
	default:
		return &problem{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonRequestFailed, message: message + "; trying again", retry: err}
	}
}

// steady returns an error's text without what differs each time it happens (times, local ports): a status that moves
// while nothing happens would be written for nothing.
func steady(err error) string {
	var open *takaro.CircuitOpenError
	var limited *takaro.RateLimitedError
	var transport *takaro.TransportError
	switch {
	case errors.As(err, &open):
		return fmt.Sprintf("Takaro at %s does not answer; it is asked again every 15 s, and this object goes on by itself", open.Host)
	case errors.As(err, &limited):
		return fmt.Sprintf("too many requests to Takaro at %s", limited.Host)
	case errors.As(err, &transport):
		return fmt.Sprintf("%s %s at %s: %s", transport.Method, transport.Path, transport.Host, steadyCause(transport.Err))
	default:
		return err.Error()
	}
}

// steadyCause is steady for what went wrong below HTTP.
func steadyCause(err error) string {
	var name *net.DNSError
	var network *net.OpError
	var certificate x509.CertificateInvalidError
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return fmt.Sprintf("the host name %s does not exist", name.Name)
	case errors.As(err, &name):
		return fmt.Sprintf("the host name %s could not be looked up", name.Name)
	case errors.As(err, &certificate) && certificate.Reason == x509.Expired:
		return "the server's certificate has expired or is not valid yet"
	case errors.As(err, &network):
		return fmt.Sprintf("%s: %v", network.Op, network.Err)
	default:
		return err.Error()
	}
}
