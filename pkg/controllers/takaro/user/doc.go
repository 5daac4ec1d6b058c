// SPDX-License-Identifier: Apache-2.0

// Package user makes Users real in Takaro: one Takaro user for each, found by its e-mail or made, with its roles and with
// its login in a Secret, kept as the spec says and removed with the object.
package user
