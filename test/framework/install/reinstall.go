// SPDX-License-Identifier: Apache-2.0

package install

import "context"

// Reinstall applies the manifests again, for example after the namespace was deleted. It writes new
// kubeconfigs for all programs, because the tokens of deleted ServiceAccounts are invalid. It
// starts no programs.
func (i *Installation) Reinstall(ctx context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := apply(ctx, i.opts.Cluster, i.manifests); err != nil {
		return err
	}
	for _, server := range i.apiServers {
		if err := i.writeKubeconfig(ctx, server.name, APIServer); err != nil {
			return err
		}
	}
	for _, controller := range i.controllers {
		if err := i.writeKubeconfig(ctx, controller.name, Controller); err != nil {
			return err
		}
	}
	return nil
}
