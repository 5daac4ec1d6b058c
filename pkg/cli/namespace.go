// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"strings"
)

const (
	// DefaultNamespace is the default namespace of an installation.
	DefaultNamespace = "roadstead-system"
	// podNamespaceFile is mounted into every pod with a ServiceAccount token.
	podNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"
)

// InstallationNamespace returns the namespace of the pod; outside of a pod, DefaultNamespace.
func InstallationNamespace() string {
	if content, err := os.ReadFile(podNamespaceFile); err == nil {
		if namespace := strings.TrimSpace(string(content)); namespace != "" {
			return namespace
		}
	}
	return DefaultNamespace
}
