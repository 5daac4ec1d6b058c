// SPDX-License-Identifier: Apache-2.0

// Package crdguard decides what an API server that asks in admission is told about a change or a deletion of a
// CustomResourceDefinition: allowed, allowed with warnings, or refused with what breaks and with the command that allows
// exactly this change. It knows neither HTTP nor a cluster: what it asks of one is in the interfaces of Options.
package crdguard
