// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// NormalizeURL returns the normalized form of an API address, which is used as a key: scheme and host in lower case, no
// default port, no trailing slash or dot, dot segments of the path resolved. It returns an error for schemes other than
// http and https, user names, queries, fragments, and hosts that are not ASCII. It is idempotent, and its errors never
// contain raw, which could contain a password.
func NormalizeURL(raw string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return "", errors.New("the Takaro URL cannot be parsed: must be https://host or https://host:port")
	}
	scheme := strings.ToLower(u.Scheme)
	if scheme != "http" && scheme != "https" {
		return "", errors.New("the Takaro URL must start with http:// or https://")
	}
	switch {
	case u.User != nil:
		return "", errors.New("the Takaro URL must not contain a user name or password: store the admin token in a Secret")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", errors.New("the Takaro URL must not have a query or a fragment")
	case u.Opaque != "":
		return "", errors.New("the Takaro URL has no host: must be https://host")
	}
	host, err := normalizeHost(u.Hostname())
	if err != nil {
		return "", err
	}
	port, err := normalizePort(scheme, u.Port())
	if err != nil {
		return "", err
	}
	if port != "" {
		host = net.JoinHostPort(strings.Trim(host, "[]"), port)
	}
	return scheme + "://" + host + normalizePath(u), nil
}

func normalizeHost(host string) (string, error) {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return "", errors.New("the Takaro URL must not have an IPv6 zone")
		}
		if addr.Is6() {
			return "[" + addr.String() + "]", nil
		}
		return addr.String(), nil
	}
	if host == "" {
		return "", errors.New("the Takaro URL has no host: must be https://host")
	}
	for _, r := range host {
		letter := (r >= 'a' && r <= 'z') || (r >= '0' && r <= '9') || r == '-' || r == '.' || r == '_'
		if !letter {
			return "", errors.New("the host of the Takaro URL may contain only letters, digits, '-', '_' and '.' (use punycode for other names)")
		}
	}
	if strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return "", errors.New("the host of the Takaro URL has an empty label: remove the extra dot")
	}
	return host, nil
}

func normalizePort(scheme, port string) (string, error) {
	if port == "" {
		return "", nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", errors.New("the port of the Takaro URL must be between 1 and 65535")
	}
	if (scheme == "http" && n == 80) || (scheme == "https" && n == 443) {
		return "", nil
	}
	return strconv.FormatUint(n, 10), nil
}

func normalizePath(u *url.URL) string {
	clean := path.Clean("/" + u.EscapedPath())
	if clean == "/" {
		return ""
	}
	return clean
}
