// SPDX-License-Identifier: Apache-2.0

// Package controllertest contains what the unit tests of the Takaro controllers share: a world of
// stored objects, a stand-in of Takaro and a clock that outlive a controller, and a way to kill a
// controller at each of its calls.
package controllertest
