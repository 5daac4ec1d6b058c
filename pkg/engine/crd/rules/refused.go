// SPDX-License-Identifier: Apache-2.0

package rules

// refusedRules are about definitions that the API server does not accept, where no other rule says why.
var refusedRules = []Rule{
	{ID: "X01", Change: "refused by the API server's validation", Verdict: Refused,
		Who: "Whoever applies the definition: the API server answers 422, and the definition stays as it is. An operator that needs " +
			"the new one does not work.",
		Fix: "Correct what the message names. kubectl apply --dry-run=server shows the same answer.",
		Old: "{type: string}", New: "{description: a field without a type}"},
	{ID: "X02", Change: "CEL rule does not compile", Verdict: Refused,
		Who: "Whoever applies the definition: the API server compiles every rule and refuses the definition if one fails. What " +
			"compiles depends on the version of the server.",
		Fix: "Correct the expression. Use only functions and types that the oldest server knows.",
		Old: "{type: string}", New: "{type: string, x-kubernetes-validations: [{rule: self.nosuch() > 1}]}"},
}
