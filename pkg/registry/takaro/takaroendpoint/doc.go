// SPDX-License-Identifier: Apache-2.0

// Package takaroendpoint stores TakaroEndpoints.
package takaroendpoint
