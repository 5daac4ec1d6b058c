// SPDX-License-Identifier: Apache-2.0

// Package names has the names of what an installation consists of. The programs create these objects and
// prepare-uninstall removes them, so both need the same names. The names are fixed: there is one installation in a cluster.
package names

const (
	// Domain ends the names of the API groups of Roadstead, and begins those of its finalizers.
	Domain = "roadstead.dev"
	// NameLabel has the name of the program that a workload, its pods and its volumes belong to.
	NameLabel = "app.kubernetes.io/name"
	// APIServer is the name of the server, of its workload and of its Service.
	APIServer = "roadstead-apiserver"
	// Controller is the name of the controllers in events, and of their Deployment, ServiceAccount and Lease.
	Controller = "roadstead-controller"
	// Redis is the name of the Redis that is part of the installation, and of the Secret with its login.
	Redis = "roadstead-redis"
	// ServingSecret holds the serving certificate of the server and its CA.
	ServingSecret = "roadstead-serving"
	// ServingLease is held by the replica of the server that writes ServingSecret and the APIServices.
	ServingLease = "roadstead-cert"
	// EncryptionSecret holds the seeds with which the server encrypts what it stores. Losing it loses the objects.
	EncryptionSecret = "roadstead-encryption"
)
