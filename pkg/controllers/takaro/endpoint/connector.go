// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// ConnectorURL returns the URL of Takaro's connector in the installation's endpoint for an address,
// or "" if it is not set. address is a URL of Takaro's API, normalized or as in a spec.
func (r *Resolver) ConnectorURL(ctx context.Context, address string) (string, error) {
	url, err := takaro.NormalizeURL(address)
	if err != nil {
		return "", nil // the error is reported when the object connects
	}
	secret, _, err := r.installedSecret(ctx, url)
	if err != nil || secret == nil {
		return "", err
	}
	return strings.TrimSpace(string(secret.Data[KeyConnectorURL])), nil
}
