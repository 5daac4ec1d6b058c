// SPDX-License-Identifier: Apache-2.0

// Package user contains the controller for Users. It maintains one user in Takaro for each User,
// with its roles, and stores its login in a Secret.
//
// If data is lost or other clients change it:
//
//   - A user that is missing in Takaro is created again after two complete lists a minute apart
//     lack it, with the same generated password. If the former user returns, it is used again.
//   - A user with the e-mail address that is not in the ledger of the User is neither changed nor
//     deleted, unless the spec adopts it.
//   - A login is considered valid only for the address, domain, user and password with which it was
//     tried. A password in the Secret is replaced only by one that Takaro accepts.
//   - The seed of generated passwords is restored from memory if its Secret is deleted or replaced.
//     If no process knows the seed, a new one is not generated while Users depend on it.
package user
