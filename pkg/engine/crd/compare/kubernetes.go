// SPDX-License-Identifier: Apache-2.0

package compare

// The API server's validation depends on the version of Kubernetes that is linked into the program.
import _ "roadstead.dev/roadstead/pkg/util/version"
