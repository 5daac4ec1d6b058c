// SPDX-License-Identifier: Apache-2.0

// Command bench compares Roadstead with the way in which a team would otherwise go: the same kinds as
// CustomResourceDefinitions in the same cluster, with the same schema, defaults and validation, and a validating webhook
// for the rules that look at other objects (package test/peer). "make bench" runs it and writes results.json;
// BENCH=short takes less than three minutes, BENCH=get,list takes only some measures, and both write
// bin/bench-results.json. "go run ./test/bench page" then writes the table in docs/performance.md.
//
// What makes the comparison fair:
//
//   - One kube-apiserver serves both, with its default flags and audit at level Metadata; requests of both go through it, by
//     one plain ServiceAccount (never system:masters, whose requests are not asked about).
//   - The store of the CRDs is the cluster's etcd, that of Roadstead its embedded one; both sync to the same disk.
//   - CPU and memory are those of kube-apiserver, roadstead-apiserver, etcd and the webhook together, whichever way is measured.
//   - The ways take turns (A B A B ...), after a warm-up, each turn after a garbage collection in all programs.
//   - Nothing fails because of a time. A failed request makes its row invalid.
//
// With --profiles both API servers are profiled while turns are taken, which says where a missed goal is lost.
//
// # results.json
//
// The object has the fields command, started (RFC 3339), seconds (the whole run), short (bool), machine (cpu, cores,
// memoryGiB, kernel, go, syncMillis: the median of a small write with fsync), versions (roadstead, kubernetes) and rows. A row has
//
//	measure   what was measured, and variant: how (encoding, size, number of objects)
//	unit      of ours and crd
//	ours, crd the spread over the rounds: median, min, max, rounds. crd is missing where there is nothing to compare with
//	ratio     the spread of ours/crd, each round against the same round
//	goal      of ("ratio" or "ours"), op ("<=" or ">="), value; missing where there is none
//	holds     whether the median fulfils the goal; missing without a goal or when the row is invalid
//	requests, failed   how many were sent in all rounds, and how many of them failed
//	problem   why the row is invalid; missing when it is valid
//	note      what a reader should know
package main
