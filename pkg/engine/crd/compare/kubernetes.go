// SPDX-License-Identifier: Apache-2.0

package compare

// The server's own validation must go by the version of Kubernetes that it comes from.
import _ "roadstead.dev/roadstead/pkg/util/version"
