// SPDX-License-Identifier: Apache-2.0

// Package takaroendpoint keeps the TakaroEndpoints: what is known of each Takaro that Domains and
// MockServers use, and what is held back there.
//
// There is one TakaroEndpoint for each URL and namespace of the credentials. It is created when an
// object uses the address, has a finalizer while one does, and is deleted when none does. One that
// lists domains which were left in Takaro is kept: takaro-sweep spares these. An administrator may
// delete it; while an object uses the address, it stays.
//
// A Takaro that lost data looks like one in which somebody deleted domains. So what vanished is
// judged together: a few domains are created anew, more than a tenth of all are held until the
// data is restored or a user releases the hold. A list is judged before any Domain learns what is
// missing in it. The judgement is memory of the process. After a restart nothing counts as missing
// until two lists, a minute apart, lack it.
//
// Deletions are judged together as well, by namespace: whoever deletes the Domains of many
// namespaces by mistake cannot bring back what Takaro deleted. Each deletion is noted before it is
// let through. After a restart, the Domains that are still being deleted are judged by the times of
// their deletions, and what the stored status holds stays held.
package takaroendpoint
