// SPDX-License-Identifier: Apache-2.0

package options

import (
	"os"
	"strings"
)

const (
	// DefaultNamespace is where an installation lives.
	DefaultNamespace = "roadstead-system"
	// podNamespaceFile is mounted into every pod with a ServiceAccount token.
	podNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

// installationNamespace is the pod's own namespace, outside of a pod DefaultNamespace.
func installationNamespace() string {
	if content, err := os.ReadFile(podNamespaceFile); err == nil {
		if namespace := strings.TrimSpace(string(content)); namespace != "" {
			return namespace
		}
	}
	return DefaultNamespace
}
