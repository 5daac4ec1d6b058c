// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"strings"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// connectorOf returns the WebSocket address of Takaro's connector: the address in the spec, or else
// that of the installation, or else the one derived from the API address if Takaro's usual host
// names are used. It returns "" if none is known. address is that of the API.
func connectorOf(typed, installed, address string) string {
	if typed != "" {
		return typed
	}
	if strings.HasPrefix(installed, "ws://") || strings.HasPrefix(installed, "wss://") {
		return installed
	}
	host, usual := strings.CutPrefix(address, "https://api.")
	if !usual {
		return ""
	}
	host, _, _ = strings.Cut(host, "/")
	return "wss://connect." + host
}

// findConnector sets the address that the game servers connect to.
func (r *reconciler) findConnector(ctx context.Context, a *attempt) *base.Blocked {
	source := a.takaroSpec()
	installed, err := r.Endpoints.ConnectorURL(ctx, source.Spec.TakaroAPIURL)
	if err != nil {
		return problem.Classify("looking for the connector", err)
	}
	if a.connector = connectorOf(source.Spec.ConnectorURL, installed, source.Spec.TakaroAPIURL); a.connector != "" {
		return nil
	}
	where := "of the Domain"
	if a.server.Spec.DomainRef == nil {
		where = "of this object"
	}
	return &base.Blocked{Reason: v1alpha1.ReasonConnectorUnknown,
		Message: "the address of Takaro's connector is not known: set spec.connectorUrl " + where +
			`, or ask the operators of this installation to add the key "connectorUrl" to the endpoint's Secret`, RequeueAfter: problem.ForeignWait}
}
