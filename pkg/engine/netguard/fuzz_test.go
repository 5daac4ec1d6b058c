// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"net/netip"
	"testing"
)

// FuzzCheck checks for any address, in any notation, that addresses that no flag allows are always rejected, and
// that a flag allows only its own class.
func FuzzCheck(f *testing.F) {
	for _, address := range []string{"127.0.0.1:80", "[::1]:443", "10.0.0.1:1", "169.254.169.254:80",
		"[64:ff9b::7f00:1]:80", "[::ffff:10.0.0.1]:1",
		"[2002:a00:1::]:1", "[fe80::1%eth0]:1", "[64:ff9b:1::808:808]:1", "224.0.0.1:1", "0.0.0.0:0", "8.8.8.8:53", "[fd00:ec2::254]:80"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, err := netip.ParseAddrPort(text)
		if err != nil {
			return
		}
		admitted := func(p Policy) bool { return p.Check(target) == nil }
		all := admitted(Policy{AllowPrivate: true, AllowLoopback: true})
		private, loopback, none := admitted(Policy{AllowPrivate: true}), admitted(Policy{AllowLoopback: true}), admitted(Policy{})
		if (none && (!private || !loopback)) || ((private || loopback) && !all) {
			t.Fatalf("%s: a flag refuses what is admitted without it", target)
		}
		addr := target.Addr().WithZone("").Unmap()
		if all && (addr.IsUnspecified() || addr.IsLinkLocalUnicast() || addr.IsMulticast()) {
			t.Fatalf("%s is admitted, which no flag may do", target)
		}
		if private && addr.IsLoopback() {
			t.Fatalf("%s is admitted without --allow-loopback", target)
		}
		if loopback && addr.IsPrivate() {
			t.Fatalf("%s is admitted without --allow-private", target)
		}
		if own := (Policy{AllowPrivate: true, AllowLoopback: true, RefusePorts: []netip.AddrPort{target}}); admitted(own) {
			t.Fatalf("%s is admitted though it is the host's own API server", target)
		}
	})
}
