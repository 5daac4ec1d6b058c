// SPDX-License-Identifier: Apache-2.0

package operatorversion

// Reasons of events. Problems are reported with the reason of the condition Ready.
const (
	eventChartFetched = "ChartFetched"
	eventReady        = "VersionReady"
)
