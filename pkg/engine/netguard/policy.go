// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// Policy determines which addresses an engine may dial. The zero value rejects all addresses except public unicast
// addresses. A Policy must not be modified after its first use and may be shared.
type Policy struct {
	// Engine is the name of the caller in errors ("takaro", "git"), and the value of --allow-private.
	Engine string
	// AllowPrivate allows RFC 1918, unique local (RFC 4193), shared (RFC 6598), site-local and
	// benchmarking addresses.
	AllowPrivate bool
	// AllowLoopback allows 127.0.0.0/8 and ::1, for tests and the demo only.
	AllowLoopback bool
	// Refuse contains addresses that are rejected even if they are allowed otherwise.
	Refuse []netip.Prefix
	// RefusePorts contains addresses and ports that are rejected even if they are allowed otherwise.
	RefusePorts []netip.AddrPort
	// Own returns the current addresses of the cluster's API server, which are rejected like RefusePorts. While they are
	// not known, nothing is dialed and the error is ErrOwnUnknown. Own is optional.
	Own func() (addresses []netip.AddrPort, known bool)
	// BeforeWrite is called before each write to a connection of DialContext. If it returns an error, the write fails
	// with a *WriteRefusedError. Nil allows all writes.
	BeforeWrite func() error
}

const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
)

// NewDialer returns a dialer that checks every resolved address before it connects, so that redirects, and names that
// resolve differently the second time, cannot bypass the policy. It waits at most 10 s for a connection. A rejection is a
// *RefusedError inside the *net.OpError.
func NewDialer(p Policy) *net.Dialer {
	return &net.Dialer{
		Timeout:   dialTimeout,
		KeepAlive: keepAlive,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil {
				return &RefusedError{Address: address, Reason: "it is not an IP address and port", Engine: p.Engine}
			}
			return p.Check(target)
		},
	}
}

// DialContext dials like NewDialer(p), and returns a connection that calls BeforeWrite. It can be used as http.Transport.DialContext.
func (p Policy) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := NewDialer(p).DialContext(ctx, network, address)
	if err != nil || p.BeforeWrite == nil {
		return conn, err
	}
	return asking{conn, p.BeforeWrite}, nil
}

type asking struct {
	net.Conn
	before func() error
}

// Write implements net.Conn.
func (a asking) Write(data []byte) (int, error) {
	if err := a.before(); err != nil {
		return 0, &WriteRefusedError{Err: err}
	}
	return a.Conn.Write(data)
}

// Check returns nil if target may be dialed, otherwise a *RefusedError or ErrOwnUnknown. It resolves no names.
func (p Policy) Check(target netip.AddrPort) error {
	refused := p.RefusePorts
	if p.Own != nil {
		own, known := p.Own()
		if !known {
			return ErrOwnUnknown
		}
		refused = slices.Concat(refused, own)
	}
	addr := target.Addr().WithZone("")
	forms := []netip.Addr{addr}
	if v4, ok := embeddedIPv4(addr); ok {
		forms = append(forms, v4)
	}
	for _, form := range forms {
		if reason := p.refusedByName(form, target.Port(), refused); reason != "" {
			return p.refusal(target, reason, noFlag)
		}
	}
	// The innermost form is the destination of the packets; IPv6 addresses with an embedded IPv4 address have no class of their own.
	reason, flag := p.refusedByClass(forms[len(forms)-1])
	if reason != "" {
		return p.refusal(target, reason, flag)
	}
	if len(forms) > 1 && localNAT64.Contains(addr) && !p.AllowPrivate {
		return p.refusal(target, "it is a private address", flagPrivate)
	}
	return nil
}

func (p Policy) refusedByName(addr netip.Addr, port uint16, refused []netip.AddrPort) string {
	for _, prefix := range p.Refuse {
		if unmapPrefix(prefix).Contains(addr) {
			return fmt.Sprintf("the installation refuses %s", prefix)
		}
	}
	for _, own := range refused {
		if own.Addr().Unmap().WithZone("") == addr && own.Port() == port {
			return "it is the API server of this cluster"
		}
	}
	return ""
}

func (p Policy) refusedByClass(addr netip.Addr) (string, flag) {
	for _, c := range classes {
		if !c.holds(addr) {
			continue
		}
		if (c.flag == flagPrivate && p.AllowPrivate) || (c.flag == flagLoopback && p.AllowLoopback) {
			return "", noFlag
		}
		return "it is " + c.name, c.flag
	}
	return "", noFlag
}

func (p Policy) refusal(target netip.AddrPort, reason string, f flag) error {
	e := &RefusedError{Address: target.String(), Reason: reason, Engine: p.Engine}
	switch f {
	case flagPrivate:
		e.Allow = "--allow-private"
		if p.Engine != "" {
			e.Allow += "=" + p.Engine
		}
	case flagLoopback:
		e.Allow = "--allow-loopback"
	case noFlag:
	}
	return e
}
