// SPDX-License-Identifier: Apache-2.0

// Command bench compares Roadstead with the alternative for most teams: the same kinds as
// CustomResourceDefinitions in the same cluster, with the same schema, defaults and validation, and
// a validating webhook for the rules that read other objects (package test/peer). "make bench" runs
// it and writes results.json. BENCH=short takes less than three minutes, BENCH=get,list runs only
// some measures, and both write bin/bench-results.json. "go run ./test/bench page" then writes the
// table in docs/performance.md.
//
// The comparison is fair for these reasons:
//
//   - One kube-apiserver serves both, with its default flags and audit at level Metadata. Requests
//     of both pass through it, by one ServiceAccount without special permissions (never
//     system:masters, for which authorization is skipped).
//   - The store of the CRDs is the cluster's etcd, that of Roadstead its embedded one. Both sync to
//     the same disk.
//   - CPU and memory are those of kube-apiserver, roadstead-apiserver, etcd and the webhook
//     together, regardless of which way is measured.
//   - The ways take turns (A B A B ...), after a warm-up, each turn after a garbage collection in
//     all programs.
//   - A missed goal is not an error. A failed request invalidates its row.
//
// With --profiles both API servers are profiled during the turns, which shows the cause of a missed
// goal.
//
// # results.json
//
// The object has the fields command, started (RFC 3339), seconds (of the run), short (bool),
// machine (cpu, cores, memoryGiB, kernel, go, syncMillis: the median of a small write with fsync),
// versions (roadstead, kubernetes) and rows. A row has
//
//	measure   what was measured, and variant: how (encoding, size, number of objects)
//	unit      of ours and crd
//	ours, crd the spread over the rounds: median, min, max, rounds. crd is missing if there is nothing to compare with
//	ratio     the spread of ours/crd, each round against the same round
//	goal      of ("ratio" or "ours"), op ("<=" or ">="), value; missing if there is none
//	holds     whether the median meets the goal; missing without a goal or if the row is invalid
//	requests, failed   how many were sent in all rounds, and how many of them failed
//	problem   why the row is invalid; missing if it is valid
//	note      additional information for the reader
package main
