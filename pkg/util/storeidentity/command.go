// SPDX-License-Identifier: Apache-2.0

package storeidentity

import "roadstead.dev/roadstead/pkg/cli"

// AcceptCommand returns the command line that accepts the store with the given id, NewStore if it has none.
func AcceptCommand(id, namespace string) string {
	command := "roadstead-apiserver accept-store --id=" + id + ` --reason="..."`
	if namespace != cli.DefaultNamespace {
		command += " --namespace=" + namespace
	}
	return command
}
