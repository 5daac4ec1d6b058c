// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package crdcheck holds roadstead-crdcheck and its library against a real API server.
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
	// definitions reaches its CustomResourceDefinitions, objects what is stored under them.
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
