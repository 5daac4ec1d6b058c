// SPDX-License-Identifier: Apache-2.0

// Package servingcert gives the server a certificate that the cluster's aggregation layer trusts: made once and kept in
// the Secret roadstead-serving, its CA written into our APIServices.
package servingcert
