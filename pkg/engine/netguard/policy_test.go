// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	const public, private, loopback, never = "public", "private", "loopback", "never"
	for addr, want := range map[string]string{
		"8.8.8.8": public, "1.1.1.1": public, "2606:4700::1111": public, "172.32.0.1": public, "100.128.0.1": public,
		"192.169.0.1": public, "11.0.0.1": public, "2002:808:808::1": public, "64:ff9b::808:808": public, "::ffff:8.8.8.8": public,

		"10.0.0.1": private, "10.255.255.255": private, "172.16.0.1": private, "172.31.255.255": private, "192.168.1.1": private,
		"100.64.0.1": private, "100.127.255.255": private, "198.18.0.1": private, "fc00::1": private, "fdff::1": private,
		"fec0::1": private, "::ffff:10.0.0.1": private, "64:ff9b::a00:1": private, "2002:a00:1::": private,
		"64:ff9b:1::808:808": private, "::10.0.0.1": private, "::ffff:0:10.0.0.1": private,

		"127.0.0.1": loopback, "127.255.255.254": loopback, "::1": loopback, "::ffff:127.0.0.1": loopback,
		"64:ff9b::7f00:1": loopback, "64:ff9b::127.0.0.1": loopback, "2002:7f00:1::": loopback, "::127.0.0.1": loopback,

		"0.0.0.0": never, "0.1.2.3": never, "::": never, "::ffff:0.0.0.0": never, "64:ff9b::": never,
		"169.254.169.254": never, "169.254.0.1": never, "fe80::1": never, "fe80::1%eth0": never, "::ffff:169.254.169.254": never,
		"64:ff9b::a9fe:a9fe": never, "2002:a9fe:a9fe::": never, "64:ff9b:1::169.254.169.254": never,
		"224.0.0.1": never, "239.255.255.255": never, "ff02::1": never, "ff05::2": never,
		"255.255.255.255": never, "240.0.0.1": never, "192.0.0.192": never, "2001::1": never, "100::1": never,
		"fd00:ec2::254": never, "100.100.100.200": never, "168.63.129.16": never, "fd20:ce::254": never,
	} {
		target := netip.AddrPortFrom(netip.MustParseAddr(addr), 443)
		for _, p := range []Policy{
			{Engine: "e"}, {Engine: "e", AllowPrivate: true}, {Engine: "e", AllowLoopback: true},
			{Engine: "e", AllowPrivate: true, AllowLoopback: true},
		} {
			ok := want == public || (want == private && p.AllowPrivate) || (want == loopback && p.AllowLoopback)
			// The NAT64 prefix for local use is private, regardless of the embedded address.
			err := p.Check(target)
			if ok {
				assert.NoError(t, err, "%s with %+v", addr, p)
				continue
			}
			var refused *RefusedError
			if !assert.ErrorAs(t, err, &refused, "%s with %+v", addr, p) {
				continue
			}
			assert.Equal(t, target.String(), refused.Address)
			flags := map[string]string{private: "--allow-private=e", loopback: "--allow-loopback", never: ""}
			assert.Equal(t, flags[want], refused.Allow, addr)
			assert.Contains(t, refused.Error(), refused.Reason)
		}
	}
}

func TestRefuseListsWinOverFlags(t *testing.T) {
	p := Policy{
		AllowPrivate: true, AllowLoopback: true,
		Refuse: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("::ffff:10.2.0.0/112"),
			netip.MustParsePrefix("2606:4700::/32")},
		RefusePorts: []netip.AddrPort{
			netip.MustParseAddrPort("127.0.0.1:6443"), netip.MustParseAddrPort("[::ffff:10.96.0.1]:443"),
		},
	}
	p.Own = func() ([]netip.AddrPort, bool) {
		return []netip.AddrPort{netip.MustParseAddrPort("172.18.0.2:6443")}, true
	}
	for target, refused := range map[string]bool{
		"172.18.0.2:6443": true, "[::ffff:172.18.0.2]:6443": true, "172.18.0.2:443": false,
		"10.1.2.3:80": true, "10.2.0.9:80": true, "10.3.0.9:80": false, "[2606:4700::5]:443": true, "[2606:4701::5]:443": false,
		"127.0.0.1:6443": true, "[::ffff:127.0.0.1]:6443": true, "[64:ff9b::7f00:1]:6443": true, "127.0.0.1:6444": false,
		"10.96.0.1:443": true, "10.96.0.1:80": false, "[2002:a01:203::]:80": true,
	} {
		err := p.Check(netip.MustParseAddrPort(target))
		assert.Equal(t, refused, IsRefused(err), "%s: %v", target, err)
		if refused {
			assert.Contains(t, err.Error(), "no flag allows it")
		}
	}
}

func TestCheckInvalidAddress(t *testing.T) {
	require.True(t, IsRefused(Policy{AllowPrivate: true, AllowLoopback: true}.Check(netip.AddrPort{})))
}

// TestCheck_EmbeddedIPv4 checks that an IPv6 address with an embedded IPv4 address is handled at least as strictly as
// the IPv4 address.
func TestCheck_EmbeddedIPv4(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := [4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(rt, "v4"))
		p := Policy{AllowPrivate: rapid.Bool().Draw(rt, "private"), AllowLoopback: rapid.Bool().Draw(rt, "loopback")}
		plain := p.Check(netip.AddrPortFrom(netip.AddrFrom4(b), 443))
		wrapped := map[string][16]byte{
			"mapped": {10: 0xff, 11: 0xff, 12: b[0], 13: b[1], 14: b[2], 15: b[3]},
			"nat64":  {0: 0, 1: 0x64, 2: 0xff, 3: 0x9b, 12: b[0], 13: b[1], 14: b[2], 15: b[3]},
			"local":  {0: 0, 1: 0x64, 2: 0xff, 3: 0x9b, 5: 1, 12: b[0], 13: b[1], 14: b[2], 15: b[3]},
			"6to4":   {0: 0x20, 1: 0x02, 2: b[0], 3: b[1], 4: b[2], 5: b[3]},
		}
		for name, raw := range wrapped {
			err := p.Check(netip.AddrPortFrom(netip.AddrFrom16(raw), 443))
			if plain != nil && err == nil {
				rt.Fatalf("%s form of %v is admitted, the address itself is refused: %v", name, b, plain)
			}
			if plain == nil && err != nil && name != "local" {
				rt.Fatalf("%s form of %v is refused, the address itself is admitted: %v", name, b, err)
			}
		}
	})
}

// TestFlagsAreMonotonic checks that a flag only allows additional addresses.
func TestFlagsAreMonotonic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(rt, "v6")))
		target := netip.AddrPortFrom(a, 443)
		if (Policy{}).Check(target) == nil {
			require.NoError(rt, Policy{AllowPrivate: true, AllowLoopback: true}.Check(target))
		}
	})
}

func TestDialerChecksTheResolvedAddress(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(srv.URL, "http://"))
	require.NoError(t, err)

	_, err = Policy{Engine: "git"}.DialContext(context.Background(), "tcp4", net.JoinHostPort("localhost", port))
	require.True(t, IsRefused(err), "%v", err)
	require.ErrorContains(t, err, "--allow-loopback")

	conn, err := Policy{AllowLoopback: true}.DialContext(context.Background(), "tcp4", net.JoinHostPort("localhost", port))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}

func TestCheck_OwnAddressesUnknown(t *testing.T) {
	p := Policy{AllowPrivate: true, Own: func() ([]netip.AddrPort, bool) { return nil, false }}
	err := p.Check(netip.MustParseAddrPort("8.8.8.8:443"))
	require.ErrorIs(t, err, ErrOwnUnknown)
	assert.False(t, IsRefused(err), "it passes without a change of the address")
	_, err = p.DialContext(t.Context(), "tcp", "127.0.0.1:1")
	require.ErrorIs(t, err, ErrOwnUnknown)
}

func TestDialerChecksRedirects(t *testing.T) {
	inner := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(inner.Close)
	outer := httptest.NewServer(http.RedirectHandler(inner.URL, http.StatusFound))
	t.Cleanup(outer.Close)
	target := netip.MustParseAddrPort(strings.TrimPrefix(inner.URL, "http://"))
	p := Policy{AllowLoopback: true, RefusePorts: []netip.AddrPort{target}}
	client := &http.Client{Transport: &http.Transport{DialContext: p.DialContext}}
	t.Cleanup(client.CloseIdleConnections)

	resp, err := client.Get(outer.URL)
	if err == nil {
		_ = resp.Body.Close()
	}
	require.True(t, IsRefused(err), "%v", err)
}

func TestDialer_InvalidAddress(t *testing.T) {
	_, err := Policy{AllowLoopback: true}.DialContext(context.Background(), "unix", t.TempDir()+"/sock")
	require.True(t, IsRefused(err), "%v", err)
}

func TestDialContext_BeforeWrite(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	var refusal error
	policy := Policy{AllowLoopback: true, BeforeWrite: func() error { return refusal }}
	client := &http.Client{Transport: &http.Transport{DialContext: policy.DialContext}}
	defer client.CloseIdleConnections()
	ask := func() error {
		response, err := client.Get(server.URL)
		if err != nil {
			return err
		}
		return response.Body.Close()
	}
	require.NoError(t, ask())
	refusal = errors.New("not now")
	require.ErrorIs(t, ask(), refusal, "on the connection from before too")
	require.True(t, IsWriteRefused(ask()))
	require.False(t, IsRefused(ask()), "the address is not refused")
	require.ErrorIs(t, ask(), refusal, "and on a new one")
	refusal = nil
	require.NoError(t, ask())
	require.False(t, IsWriteRefused(nil))
}
