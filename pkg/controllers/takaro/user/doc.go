// SPDX-License-Identifier: Apache-2.0

// Package user is the controller of Users: it keeps one user in Takaro for each, with its roles, and
// its login in a Secret.
//
// What it does when others lose or change data:
//
//   - A user that vanishes from Takaro is created again after two complete lists a minute apart, with
//     the same generated password. If the former one returns, it is used again.
//   - A user with the e-mail address that the ledger of the User does not hold is neither changed
//     nor deleted, unless the spec adopts it.
//   - A login counts as working only for the address, domain, user and password with which it was
//     tried. A password in the Secret is replaced only by one that Takaro accepts.
//   - The seed of generated passwords is restored from memory if its Secret is deleted or replaced.
//     If no process knows it, none is generated while Users depend on it.
package user
