// SPDX-License-Identifier: Apache-2.0

// Package names contains the names of the objects of an installation. The programs create these
// objects and prepare-uninstall removes them, so both need the same names. The names are fixed,
// because a cluster has only one installation.
package names

const (
	// Domain is the suffix of the names of Roadstead's API groups, and the prefix of its
	// finalizers.
	Domain = "roadstead.dev"
	// NameLabel is the label with the name of the program that a workload, its pods and its
	// volumes belong to.
	NameLabel = "app.kubernetes.io/name"
	// APIServer is the name of the server, of its workload and of its Service.
	APIServer = "roadstead-apiserver"
	// Controller is the name of the controllers in events, and of their Deployment, ServiceAccount and Lease.
	Controller = "roadstead-controller"
	// Redis is the name of the Redis that is part of the installation, and of the Secret with its login.
	Redis = "roadstead-redis"
	// ServingSecret is the Secret with the serving certificate of the server and its CA.
	ServingSecret = "roadstead-serving"
	// ServingLease is the Lease of the replica of the server that writes ServingSecret and the
	// APIServices.
	ServingLease = "roadstead-cert"
	// EncryptionSecret is the Secret with the seeds for the encryption of stored objects. The
	// objects cannot be decrypted without it.
	EncryptionSecret = "roadstead-encryption"
)
