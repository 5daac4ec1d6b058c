// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// steady returns the text of an error without parts that differ each time it occurs (times, local
// ports). Otherwise the status would be written although nothing changed.
func steady(err error) string {
	var open *takaro.CircuitOpenError
	var limited *takaro.RateLimitedError
	var incomplete *takaro.IncompleteError
	var large *takaro.SearchTooLargeError
	var transport *takaro.TransportError
	switch {
	case errors.As(err, &open):
		text := fmt.Sprintf("Takaro at %s does not answer; it is probed every 15 s, and this object continues when it answers", open.Host)
		if open.Cause != nil {
			text += " (the last probe failed: " + steady(open.Cause) + ")"
		}
		return text
	case errors.As(err, &limited) && limited.Memory:
		return fmt.Sprintf("too many large answers are being read, among them one of Takaro at %s", limited.Host)
	case errors.As(err, &limited):
		return fmt.Sprintf("too many requests to Takaro at %s", limited.Host)
	case errors.As(err, &incomplete):
		return fmt.Sprintf("Takaro at %s returned fewer rows of POST %s than it counts, so what is missing in the list may exist. "+
			"If this persists, check Takaro's database and proxies in front of Takaro", incomplete.Host, incomplete.Path)
	case errors.As(err, &large):
		return tooLarge(large)
	case errors.As(err, &transport):
		return fmt.Sprintf("%s %s at %s: %s", transport.Method, transport.Path, transport.Host, steadyCause(transport.Err))
	default:
		return err.Error()
	}
}

// tooLarge returns what was too large, and how to change the limit.
func tooLarge(e *takaro.SearchTooLargeError) string {
	answer := fmt.Sprintf("the answer of Takaro at %s to POST %s is too large: %s", e.Host, e.Path, e.Limit)
	switch {
	case e.One:
		return answer + ", although one object was searched for. The administrator of that Takaro must check what answers at the " +
			"address: it ignores the filter"
	case e.Own:
		return answer + ", which is the limit with the credentials of a namespace. The administrator of that Takaro must delete what " +
			"is not needed there, " +
			"or the administrator of this installation must add the address to its endpoints, which have higher limits"
	default:
		return answer + ". The administrator of that Takaro must delete what is not needed there, or use a second Takaro"
	}
}

// steadyCause is steady for errors below the HTTP layer.
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
