// SPDX-License-Identifier: Apache-2.0

// Package servingcert provides the server with a certificate that the cluster's aggregation layer
// trusts. The certificate is stored in the Secret roadstead-serving, where one of the replicas
// renews it. All replicas serve it without a restart, and the CAs that the aggregation layer needs
// are stored in Roadstead's APIServices.
//
// decide.go decides about the next change of the Secret, and follow.go when a replica uses a new
// certificate, as pure functions; keeper.go performs the changes. The rule is: a certificate is
// served only if every APIService has trusted its CA for some time, and a CA is removed only if all
// of its certificates have expired.
package servingcert
