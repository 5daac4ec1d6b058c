// SPDX-License-Identifier: Apache-2.0

package netguard

import "net/netip"

// Prefixes of addresses with an embedded IPv4 address in the last 32 bits: RFC 6052 and RFC 8215 NAT64, RFC 2765
// translated, RFC 4291 compatible. Unmap handles RFC 4291 mapped addresses.
var (
	wellKnownNAT64 = netip.MustParsePrefix("64:ff9b::/96")
	localNAT64     = netip.MustParsePrefix("64:ff9b:1::/48")
	translated     = netip.MustParsePrefix("::ffff:0:0:0/96")
	compatible     = netip.MustParsePrefix("::/96")
	sixToFour      = netip.MustParsePrefix("2002::/16") // RFC 3056: bits 16 to 47
)

// embeddedIPv4 returns the IPv4 address that packets to a are sent to if a is an IPv6 address with an embedded IPv4
// address.
func embeddedIPv4(a netip.Addr) (netip.Addr, bool) {
	if a.Is4In6() {
		return a.Unmap(), true
	}
	if !a.Is6() || a.IsLoopback() || a.IsUnspecified() {
		return netip.Addr{}, false
	}
	b := a.As16()
	switch {
	case wellKnownNAT64.Contains(a), localNAT64.Contains(a), translated.Contains(a), compatible.Contains(a):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixToFour.Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

// unmapPrefix converts a prefix in the mapped form (::ffff:10.0.0.0/104), so that it matches IPv4.
func unmapPrefix(p netip.Prefix) netip.Prefix {
	const mappedBits = 96
	if p.Addr().Is4In6() && p.Bits() >= mappedBits {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mappedBits)
	}
	return p
}
