// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package crdcheck compares roadstead-crdcheck and its library with a real API server.
package crdcheck

import (
	"context"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/client-go/dynamic"

	"roadstead.dev/roadstead/test/framework"
)

var (
	env *framework.Env
	// definitions is a client for CustomResourceDefinitions, objects a client for their objects.
	definitions apiextensions.Interface
	objects     dynamic.Interface
)

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithoutInstallation(), framework.WithBefore(func(_ context.Context, e *framework.Env) (err error) {
		config := e.Cluster.AdminConfig()
		config.QPS, config.Burst = 200, 400
		if definitions, err = apiextensions.NewForConfig(config); err != nil {
			return err
		}
		objects, err = dynamic.NewForConfig(config)
		return err
	}))
}
