// SPDX-License-Identifier: Apache-2.0

package rules

// refusedRules cover CRDs that the API server rejects for a reason that no other rule covers.
var refusedRules = []Rule{
	{ID: "X01", Change: "rejected by the validation of the API server", Verdict: Refused,
		What: "The new CRD fails the validation of the API server.",
		Who: "Clients that apply the CRD: the API server responds with 422 and does not change the CRD. An operator that needs the " +
			"new CRD does not work.",
		Fix: "Correct the error in the message. To reproduce it, run kubectl apply --dry-run=server.",
		Old: "{type: string}", New: "{description: a field without a type}"},
	{ID: "X02", Change: "CEL rule does not compile", Verdict: Refused,
		What: "The expression of a CEL rule does not compile.",
		Who: "Clients that apply the CRD: the API server compiles all rules, and rejects the CRD if one of them fails. The supported " +
			"functions depend on the version of Kubernetes.",
		Fix: "Correct the expression. Use only functions and types that the oldest supported version of Kubernetes provides.",
		Old: "{type: string}", New: "{type: string, x-kubernetes-validations: [{rule: self.nosuch() > 1}]}"},
}
