// SPDX-License-Identifier: Apache-2.0

// Package takaroendpoint contains the controller for TakaroEndpoints, which record what is known of
// each Takaro that Domains and MockServers use, and what is held there.
//
// There is one TakaroEndpoint for each URL and namespace of the credentials. It is created when an
// object uses the address, has a finalizer while an object does, and is deleted when no object
// does. A TakaroEndpoint that lists domains which were left in Takaro is kept, because takaro-sweep
// does not remove these domains. An administrator may delete it; while an object uses the address,
// it is not removed.
//
// A Takaro that lost data looks like one in which a user deleted domains. Therefore missing domains
// are judged together: a few domains are created again, but more than a tenth of all are held until
// the data is restored or a user releases the hold. A list is judged before any Domain can see what
// is missing in it. The judgement is kept in memory only. After a restart a domain does not count
// as missing until two lists, a minute apart, lack it.
//
// Deletions are judged together as well, by namespace, because the domains that Takaro deleted
// cannot be restored if the Domains of many namespaces were deleted by mistake. Each deletion is
// recorded before it is allowed. After a restart, the Domains that are still being deleted are
// judged by the times of their deletions, and the deletions that the stored status holds stay held.
package takaroendpoint
