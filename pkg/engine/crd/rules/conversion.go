// SPDX-License-Identifier: Apache-2.0

package rules

// exampleWebhook is the text of a conversion by webhook in a namespace, before the versions.
func exampleWebhook(namespace, versions string) string {
	return "{spec: {conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: " +
		namespace +
		", name: convert}}}}, versions: [" + versions + "]}}"
}

// conversionRules are about objects that are read and written through several versions.
var conversionRules = []Rule{
	{ID: "E07", Change: "new version added with a missing field, conversion None", Verdict: Destructive, Hits: hitsAll,
		Who: "Without a webhook, conversion only renames apiVersion and prunes by the schema of the target. Reads through the new " +
			"version lack the field, and any write through it, by kubectl or by an operator, drops it for good.",
		Fix:   "Declare the field in every served version, or convert by a webhook that keeps it.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther))},
	{ID: "E08", Change: "new version added with a missing field, conversion Webhook", Verdict: Review, Hits: Hits{Stored: true,
		Readers: true, Rollback: true},
		Who: "Everything depends on the webhook: if it is down, reads and writes through the other version fail, and if it forgets " +
			"the field, the value is lost.",
		Fix:   "Test a round trip through the webhook with every field set, and probe the webhook before the definition is applied.",
		Scope: InDefinition, Old: exampleWebhook("blue", exampleVersion("v1", true, bothFields)),
		New: exampleWebhook("blue", exampleVersion("v1", true, bothFields)+", "+exampleVersion("v2", false, onlyOther))},
	{ID: "E09", Change: "new version added with another type or rule for a field, conversion None", Verdict: Review, Hits: Hits{Writers: true,
		SSAWriters: true, Readers: true},
		Who: "Clients of the new version: without a webhook the value goes over as it is, so they read values that their version " +
			"does not allow, and writes of them are rejected. Nobody who uses the versions that were there is hit.",
		Fix:   "Give the field the same type and rules in every served version, or convert by a webhook.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false,
			"{f: {type: integer}, other: {type: string}}"))},
	{ID: "E10", Change: "conversion Webhook -> None, differing schemas", Verdict: Destructive, Hits: hitsAll,
		Who: "Until now a webhook translated between versions. Without it, conversion only renames apiVersion and prunes by the " +
			"schema of the target: fields that one version lacks are lost at the next write through it, or to storage.",
		Fix: "Keep the webhook as long as two versions differ and both are served or stored. Migrate all objects to one version and " +
			"stop serving the other first.",
		Scope: InDefinition, Old: exampleWebhook("blue", exampleVersion("v1", true, bothFields)+", "+exampleVersion("v2", false, onlyOther)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther))},
	{ID: "E11", Change: "conversion None -> Webhook", Verdict: Review, Hits: Hits{Stored: true, Writers: true, Readers: true},
		Who: "Every read and write of a version that is not the stored one needs the webhook from now on, as do lists and the " +
			"garbage collector: if it is down, they fail.",
		Fix: "Bring the webhook up first, with its Service and a valid CA bundle; probe it, then apply the definition. Run more " +
			"than one replica.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, v2Served), New: exampleWebhook("blue", v1Stored+", "+v2Served)},
	{ID: "E12", Change: "conversion webhook service changed", Verdict: Review, Hits: Hits{Stored: true, Writers: true, Readers: true},
		Who: "Reads and writes of every version that is not the stored one go to the other service at once: if it is not up, or its " +
			"certificate does not fit the CA bundle, they fail.",
		Fix:   "Probe the new endpoint with a real ConversionReview before the switch, and keep the old one up until after it.",
		Scope: InDefinition, Old: exampleWebhook("blue", v1Stored+", "+v2Served), New: exampleWebhook("green", v1Stored+", "+v2Served)},
	{ID: "E17", Change: "storage switched to a version that lacks a field, conversion None", Verdict: Destructive, Hits: hitsAll,
		Who: "Objects are pruned by the storage version's schema when they are written, through whatever version: the first write " +
			"of each object, even of its status, loses the field for good, and clients of the other version can no longer set it.",
		Fix:   "Declare the field in the storage version, or convert by a webhook that keeps it.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther)),
		New: exampleDefinition(exampleVersion("v1", false, bothFields), exampleVersion("v2", true, onlyOther))},
	{ID: "E18", Change: "versions differ as before", Verdict: Informational,
		Who:   "Nobody anew: two served versions differ, but did so before this change.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther))},
	{ID: "E19", Change: "served version pair: enum widened only in v2", Verdict: Review, Hits: hitsReaders,
		Who:   "Clients of the other version: they read a value that their schema does not list, and their edits of such a field are rejected.",
		Fix:   "Widen the field in every served version at once.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, enumA), exampleVersion("v2", false, enumA)),
		New: exampleDefinition(exampleVersion("v1", true, enumA), exampleVersion("v2", false, enumAB))},
	{ID: "E21", Change: "field added in one version only, conversion None", Verdict: Review, Hits: Hits{Writers: true,
		Readers: true, Rollback: true},
		Who: "Clients of the other version: a write through it drops the new field. If the storage version lacks it, the field is " +
			"never stored at all.",
		Fix:   "Add the field to every version at once.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, bothFields)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false,
			"{f: {type: string}, g: {type: string}, other: {type: string}}"))},
	{ID: "E22", Change: "storage switched to a version whose schema is narrower", Verdict: Breaking, Hits: hitsValues,
		Who: "Objects with a value that only the former storage version allows: they are stored in a version that calls them " +
			"invalid, so clients of that version cannot edit them, and they cannot be made anew through it.",
		Fix:   "Let the storage version allow what every served version allows; tighten it after all objects were corrected.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, enumAB), exampleVersion("v2", false, enumA)),
		New: exampleDefinition(exampleVersion("v1", false, enumAB), exampleVersion("v2", true, enumA))},
}
