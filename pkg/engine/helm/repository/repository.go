// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"net"
	"net/url"
	"strings"
)

// Repository is the location of charts and the credentials for it.
type Repository struct {
	// URL is https://host[:port]/path, with an index.yaml below the path, or oci://host[:port]/path, where each chart is
	// a repository of the registry below the path. User, query and fragment are not allowed.
	URL string
	// Credentials are sent to the host of the URL only. The zero value means anonymous access.
	Credentials Credentials
}

const (
	schemeHTTPS = "https"
	schemeOCI   = "oci"
	defaultPort = "443"
)

// parse validates the URL. The path of the result ends with a slash.
func (r Repository) parse() (*url.URL, error) {
	invalid := func(why string) error {
		return &Error{Kind: KindInvalid, Message: "URL of the chart repository is rejected: " + why}
	}
	parsed, err := url.Parse(r.URL)
	switch {
	case err != nil: // the error contains the URL, which may contain a password
		return nil, invalid("it is not a valid URL")
	case parsed.User != nil:
		return nil, invalid("it contains a user name or password; use a Secret instead")
	case parsed.Scheme != schemeHTTPS && parsed.Scheme != schemeOCI:
		return nil, invalid("it must begin with https:// or oci://")
	case parsed.Hostname() == "":
		return nil, invalid("it has no host")
	case parsed.RawQuery != "" || parsed.ForceQuery || parsed.Fragment != "":
		return nil, invalid("it has a query or a fragment")
	}
	parsed.RawPath = ""
	parsed.Path = strings.TrimRight(parsed.Path, "/") + "/"
	return parsed, nil
}

// authority returns the host and port of a URL in normalized form: lower case, with the port.
func authority(of *url.URL) string {
	port := of.Port()
	if port == "" {
		port = defaultPort
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.ToLower(of.Hostname()), "."), port)
}
