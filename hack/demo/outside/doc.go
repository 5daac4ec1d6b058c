// SPDX-License-Identifier: Apache-2.0

// Package outside starts what an environment needs in addition to Kubernetes and Roadstead: Takaro,
// Redis, and a node that runs mock game servers.
package outside
