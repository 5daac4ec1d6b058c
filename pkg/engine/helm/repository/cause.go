// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"roadstead.dev/roadstead/pkg/engine/netguard"
)

var (
	errTimeout   = errors.New("timed out before the response was complete")
	errTooLarge  = errors.New("response is too large")
	errNotHTTPS  = errors.New("URL does not use https")
	errRedirects = errors.New("too many redirects")
)

// transportError returns the error for a request without a readable response. The text of the cause is not used, because
// it contains URLs, local ports and times.
func transportError(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTimeout) {
		return context.Cause(ctx)
	}
	found := &Error{Kind: KindUnreachable, Err: err}
	why := ""
	refused, isRefused := errors.AsType[*netguard.RefusedError](err)
	switch {
	case isRefused:
		found.Kind, why = KindRefused, refused.Error()
	case errors.Is(err, errNotHTTPS):
		found.Kind, why = KindInvalid, "the repository redirects to a URL that does not begin with https://"
	case errors.Is(err, errRedirects):
		found.Kind, why = KindInvalid, fmt.Sprintf("more than %d redirects", maxRedirects)
	case errors.Is(err, errTimeout) || ctx.Err() != nil:
		why = errTimeout.Error()
	default:
		why = networkCause(err)
	}
	found.Message = doing + ": " + why
	return found
}

// networkCause describes an error of the network or of TLS for users.
func networkCause(err error) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsNotFound {
			return fmt.Sprintf("host name %s does not exist", name.Name)
		}
		return fmt.Sprintf("host name %s could not be resolved", name.Name)
	}
	if certificate, ok := certificateCause(err); ok {
		return certificate
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		if network.Timeout() {
			return network.Op + ": timed out"
		}
		return fmt.Sprintf("%s: %v", network.Op, network.Err)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errTimeout.Error()
	}
	return "the connection was closed, or the response is not HTTP"
}

func certificateCause(err error) (string, bool) {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "the certificate is signed by an authority that is not trusted", true
	}
	if wrong, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Sprintf("the certificate is not valid for %s", wrong.Host), true
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "the certificate has expired or is not valid yet", true
		}
		return "the certificate is not valid", true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "the certificate cannot be verified", true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the server does not use TLS", true
	}
	return "", false
}
