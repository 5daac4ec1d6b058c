// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"net"
	"net/url"
	"strings"
)

// Repository says where charts are, and as whom they are asked for.
type Repository struct {
	// URL is https://host[:port]/path, below which there is an index.yaml, or oci://host[:port]/path, below which each
	// chart is a repository of the registry. User, query and fragment are refused.
	URL string
	// Credentials go to the host of the URL only. The zero value is nobody.
	Credentials Credentials
}

const (
	schemeHTTPS = "https"
	schemeOCI   = "oci"
	defaultPort = "443"
)

// parse checks the URL; its path ends with a slash.
func (r Repository) parse() (*url.URL, error) {
	invalid := func(why string) error {
		return &Error{Kind: KindInvalid, Message: "the URL of the chart repository is refused: " + why}
	}
	parsed, err := url.Parse(r.URL)
	switch {
	case err != nil: // its text repeats the URL, which may hold a password
		return nil, invalid("it is no URL")
	case parsed.User != nil:
		return nil, invalid("it holds a user or password; name a Secret instead")
	case parsed.Scheme != schemeHTTPS && parsed.Scheme != schemeOCI:
		return nil, invalid("it has to begin with https:// or oci://")
	case parsed.Hostname() == "":
		return nil, invalid("it names no host")
	case parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "":
		return nil, invalid("it has a query or a fragment")
	}
	parsed.RawPath = ""
	parsed.Path = strings.TrimRight(parsed.Path, "/") + "/"
	return parsed, nil
}

// authority is host and port of a URL in the one form that is compared: lower case, with the port.
func authority(of *url.URL) string {
	port := of.Port()
	if port == "" {
		port = defaultPort
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.ToLower(of.Hostname()), "."), port)
}
