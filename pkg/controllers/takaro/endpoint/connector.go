// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"context"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// ConnectorURL returns what the installation's endpoint of an address says of Takaro's connector, "" when it says nothing.
// address is a normalized or typed URL of Takaro's API.
func (r *Resolver) ConnectorURL(ctx context.Context, address string) (string, error) {
	url, err := takaro.NormalizeURL(address)
	if err != nil {
		return "", nil // whoever connects says so
	}
	secret, _, err := r.installedSecret(ctx, url)
	if err != nil || secret == nil {
		return "", err
	}
	return strings.TrimSpace(string(secret.Data[KeyConnectorURL])), nil
}
