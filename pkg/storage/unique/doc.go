// SPDX-License-Identifier: Apache-2.0

// Package unique keeps values of fields unique across the objects of a kind. A value is claimed by
// a record in etcd, which is written in the transaction of the object that has the value, or, for a
// value of the status, in one that proves the revision of the object. Admission cannot do this: it
// also runs on dry run, before validation can fail, and again on every retry.
//
// A record counts only while the object that it names has the value, so nothing has to be released
// after a delete, after a failed request, or after the server was killed in between. No decision
// depends on a clock.
package unique
