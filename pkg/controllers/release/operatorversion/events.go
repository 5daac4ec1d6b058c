// SPDX-License-Identifier: Apache-2.0

package operatorversion

// Reasons of events. What is wrong has the reason of the condition Ready.
const (
	eventChartFetched = "ChartFetched"
	eventReady        = "VersionReady"
)
