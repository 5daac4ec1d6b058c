// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
)

// redirect changes a kubeconfig to connect to address ("host:port"), which forwards the connections
// to kube-apiserver.
func redirect(path, address string) error {
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return fmt.Errorf("local: lead %s to %s: %w", path, address, err)
	}
	for _, one := range config.Clusters {
		one.Server = "https://" + address
	}
	return clientcmd.WriteToFile(*config, path)
}
