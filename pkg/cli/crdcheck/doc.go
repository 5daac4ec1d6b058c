// SPDX-License-Identifier: Apache-2.0

// Package crdcheck is the command line of roadstead-crdcheck: it reads definitions, has them compared by pkg/engine/crd/compare, and
// shows what comes of it.
package crdcheck
