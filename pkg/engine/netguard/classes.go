// SPDX-License-Identifier: Apache-2.0

package netguard

import "net/netip"

// flag is the flag that allows a class of addresses.
type flag int

const (
	noFlag flag = iota
	flagPrivate
	flagLoopback
)

type class struct {
	name  string
	flag  flag
	holds func(netip.Addr) bool
}

// classes are evaluated in order, and the first that contains the address decides. So the classes that no flag allows
// precede the private ranges that contain them.
var classes = []class{
	{"not a valid address", noFlag, func(a netip.Addr) bool { return !a.IsValid() }},
	{"the unspecified address or \"this network\"", noFlag, in("0.0.0.0/8", "::/128")},
	{"a loopback address", flagLoopback, netip.Addr.IsLoopback},
	{"a link-local address", noFlag, func(a netip.Addr) bool { return a.IsLinkLocalUnicast() }},
	{"a multicast address", noFlag, netip.Addr.IsMulticast},
	{"a metadata service of a cloud provider", noFlag, in(metadata...)},
	{"a reserved address", noFlag, in("240.0.0.0/4", "192.0.0.0/24", "2001::/32", "100::/64")},
	{"a private address", flagPrivate, in(private...)},
}

// metadata contains the metadata services outside of the link-local range: AWS and Google over IPv6, Alibaba, Azure's
// host agent. (192.0.0.192 of Oracle is in the reserved range, 169.254.169.254 is link-local.)
var metadata = []string{"fd00:ec2::254/128", "fd20:ce::254/128", "100.100.100.200/32", "168.63.129.16/32"}

// private contains RFC 1918, RFC 6598 (carrier NAT), RFC 2544 (benchmarks), RFC 4193 (ULA), RFC 3879 (site-local).
var private = []string{
	"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15", "fc00::/7", "fec0::/10",
}

func in(prefixes ...string) func(netip.Addr) bool {
	set := make([]netip.Prefix, len(prefixes))
	for i, p := range prefixes {
		set[i] = netip.MustParsePrefix(p)
	}
	return func(a netip.Addr) bool {
		for _, p := range set {
			if p.Contains(a) {
				return true
			}
		}
		return false
	}
}
