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
	errTimeout   = errors.New("there was no complete answer within the time-out")
	errTooLarge  = errors.New("the answer is larger than what is read")
	errNotHTTPS  = errors.New("a URL without https was to be asked")
	errRedirects = errors.New("too many redirects")
)

// transportError says why there was no answer, or none that could be read. The text of the cause is not used: it holds URLs,
// local ports and times.
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
		found.Kind, why = KindInvalid, "it leads to a URL that does not begin with https://, and no other is asked"
	case errors.Is(err, errRedirects):
		found.Kind, why = KindInvalid, fmt.Sprintf("it redirects more than %d times", maxRedirects)
	case errors.Is(err, errTimeout) || ctx.Err() != nil:
		why = errTimeout.Error()
	default:
		why = networkCause(err)
	}
	found.Message = doing + ": " + why
	return found
}

// networkCause is what a person can use of an error of the network or of TLS.
func networkCause(err error) string {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsNotFound {
			return fmt.Sprintf("the host name %s does not exist", name.Name)
		}
		return fmt.Sprintf("the host name %s could not be looked up", name.Name)
	}
	if certificate, ok := certificateCause(err); ok {
		return certificate
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		if network.Timeout() {
			return network.Op + ": it takes too long"
		}
		return fmt.Sprintf("%s: %v", network.Op, network.Err)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return errTimeout.Error()
	}
	return "the connection broke off, or the answer is no HTTP"
}

func certificateCause(err error) (string, bool) {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its certificate is of an authority that is not trusted here", true
	}
	if wrong, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Sprintf("its certificate is not for %s", wrong.Host), true
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "its certificate has expired or is not valid yet", true
		}
		return "its certificate is not valid", true
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate cannot be verified", true
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "it does not speak TLS", true
	}
	return "", false
}
