// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "Run a real Kubernetes control plane on loopback, without containers",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var dir string
	root.PersistentFlags().StringVar(&dir, "dir", ".cluster", "work folder: kubeconfig, certificates, logs, data")
	up := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster with empty data, unless one runs",
		Args:  cobra.NoArgs,
	}
	minimal := up.Flags().Bool("minimal", false, "only etcd and kube-apiserver: no controllers, no node")
	tools := up.Flags().String("tools", "", "folder of the programs (default: asked of hack/tools/build.sh)")
	up.RunE = func(cmd *cobra.Command, _ []string) error {
		return runUp(cmd.Context(), cmd.OutOrStdout(), upOptions{dir: dir, minimal: *minimal, tools: *tools})
	}
	down := &cobra.Command{
		Use:   "down",
		Short: "End what \"up\" started, keep its logs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDown(cmd.Context(), cmd.OutOrStdout(), dir)
		},
	}
	root.AddCommand(up, down)
	return root
}
