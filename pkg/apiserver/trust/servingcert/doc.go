// SPDX-License-Identifier: Apache-2.0

// Package servingcert gives the server a certificate that the cluster's aggregation layer trusts. It is kept in the
// Secret roadstead-serving and renewed there by one of the replicas; all of them serve it without a restart, and the CAs
// that the aggregation layer needs are kept in our APIServices.
//
// What happens when is in decide.go (what the Secret should become) and follow.go (when a replica takes a new
// certificate), as pure functions; keeper.go does it. The rule behind both: a certificate is served only when every
// APIService has trusted its CA for a while, and a CA is dropped only when every certificate of it has expired.
package servingcert
