// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package crdcheck holds roadstead-crdcheck and its library against a real API server.
package crdcheck

import (
	"context"
	"fmt"
	"os"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/client-go/dynamic"

	"roadstead.dev/roadstead/test/framework/cluster"
)

var (
	// host is the control plane.
	host *cluster.Cluster
	// definitions reaches its CustomResourceDefinitions, objects what is stored under them.
	definitions apiextensions.Interface
	objects     dynamic.Interface
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	started, err := cluster.Start(context.Background(), cluster.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	host = started
	config := host.AdminConfig()
	config.QPS, config.Burst = 200, 400
	definitions, err = apiextensions.NewForConfig(config)
	if err == nil {
		objects, err = dynamic.NewForConfig(config)
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := host.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
