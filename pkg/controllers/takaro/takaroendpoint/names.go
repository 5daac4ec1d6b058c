// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// maxHostInName is the maximum length of the host in a name. It leaves room for the hash within the
// longest name that the API server accepts.
const maxHostInName = 180

// nameOf returns the name of the TakaroEndpoint of a normalized URL: the host, for readability, and
// a hash of the URL, because ports and paths distinguish endpoints too.
func nameOf(address string) string {
	host := ""
	if parsed, err := url.Parse(address); err == nil {
		host = parsed.Hostname()
	}
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(host))
	// Each label of a DNS subdomain starts and ends with a letter or digit.
	var labels []string
	for label := range strings.SplitSeq(host[:min(len(host), maxHostInName)], ".") {
		if label = strings.Trim(label, "-"); label != "" {
			labels = append(labels, label)
		}
	}
	sum := sha256.Sum256([]byte(address))
	return strings.TrimPrefix(strings.Join(labels, ".")+"-"+hex.EncodeToString(sum[:4]), "-")
}

// placeOf returns the TakaroEndpoint of a Domain with the resolved address.
func (k *Keeper) placeOf(domain *v1alpha1.Domain, address string) types.NamespacedName {
	namespace := k.Namespace
	if domain.Spec.CredentialsSecretRef != nil {
		namespace = domain.Namespace
	}
	return types.NamespacedName{Namespace: namespace, Name: nameOf(address)}
}

// user contains the fields of a Domain or MockServer that determine which TakaroEndpoint it uses.
type user struct {
	namespace, address string
	ownCredentials     bool
}

// uses reports whether the object uses the TakaroEndpoint. It needs no Secret: an object whose
// credentials are temporarily missing still uses its TakaroEndpoint. The installation's endpoint
// counts for all paths of its host, because its own path replaces that of a spec.
func (u user) uses(e *v1alpha1.TakaroEndpoint, installation string) bool {
	address, err := takaro.NormalizeURL(u.address)
	if err != nil {
		return false
	}
	if u.ownCredentials {
		return e.Namespace == u.namespace && e.Spec.URL == address
	}
	return e.Namespace == installation && endpoint.SameOrigin(e.Spec.URL, address)
}

// Uses reports whether a Domain uses a TakaroEndpoint. installation is the installation's namespace.
func Uses(domain *v1alpha1.Domain, e *v1alpha1.TakaroEndpoint, installation string) bool {
	return userOf(domain).uses(e, installation)
}

// releaseCommand returns the command that releases what a token identifies.
func releaseCommand(at types.NamespacedName, token string) string {
	return fmt.Sprintf("kubectl annotate takaroendpoints.takaro.roadstead.dev %s -n %s %s=%s --overwrite",
		at.Name, at.Namespace, hold.ReleaseAnnotation, token)
}
