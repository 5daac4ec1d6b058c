// SPDX-License-Identifier: Apache-2.0

// Package options turns flags into a running roadstead-apiserver: options, completed, validated, applied to a
// configuration.
package options
