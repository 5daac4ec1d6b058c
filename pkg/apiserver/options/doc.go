// SPDX-License-Identifier: Apache-2.0

// Package options runs roadstead-apiserver with its flags: options are completed, validated, and
// applied to a configuration.
package options
