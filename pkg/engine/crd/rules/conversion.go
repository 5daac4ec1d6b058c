// SPDX-License-Identifier: Apache-2.0

package rules

// exampleWebhook returns the YAML of a CRD with a conversion webhook in the namespace and the versions.
func exampleWebhook(namespace, versions string) string {
	return "{spec: {conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: " +
		namespace +
		", name: convert}}}}, versions: [" + versions + "]}}"
}

// conversionRules cover objects that are read and written in several versions.
var conversionRules = []Rule{
	{ID: "E07", Change: "new version added with a missing field, conversion None", Verdict: Destructive, Hits: hitsAll,
		What: "A new version lacks a field of another version, and the conversion strategy is None.",
		Who: "All objects: without a webhook, conversion changes only apiVersion, and prunes fields that the target version does not " +
			"declare. Reads in the new version do not return the field, and a write in the new version, by kubectl or by an operator, " +
			"deletes it permanently.",
		Fix:   "Declare the field in all served versions, or convert with a webhook that preserves it.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther))},
	{ID: "E08", Change: "new version added with a missing field, conversion Webhook", Verdict: Review, Hits: Hits{Stored: true,
		Readers: true, Rollback: true},
		What: "A new version lacks a field of another version, and a webhook converts between them.",
		Who: "All objects: if the webhook is unavailable, reads and writes of the other version fail. If the webhook does not " +
			"preserve the field, the value is lost.",
		Fix: "Test a round trip through the webhook with all fields set, and verify that the webhook responds before you apply the " +
			"CRD.",
		Scope: InDefinition, Old: exampleWebhook("blue", exampleVersion("v1", true, bothFields)),
		New: exampleWebhook("blue", exampleVersion("v1", true, bothFields)+", "+exampleVersion("v2", false, onlyOther))},
	{ID: "E09", Change: "new version with a field of another type or constraint, conversion None", Verdict: Review, Hits: Hits{Writers: true,
		SSAWriters: true, Readers: true},
		What: "A field has another type or constraint in a new version, and the conversion strategy is None.",
		Who: "Clients of the new version: without a webhook, values are not converted. Clients read values that their version does " +
			"not allow, and writes of these values are rejected. Clients of existing versions are not affected.",
		Fix:   "Use the same type and constraints of the field in all served versions, or convert with a webhook.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false,
			"{f: {type: integer}, other: {type: string}}"))},
	{ID: "E10", Change: "conversion Webhook -> None, differing schemas", Verdict: Destructive, Hits: hitsAll,
		What: "The conversion strategy changes from Webhook to None, and the schemas of the versions differ.",
		Who: "All objects: without the webhook, conversion changes only apiVersion, and prunes fields that the target version does " +
			"not declare. Fields that one version lacks are lost at the next write in this version, or if it is the storage version.",
		Fix: "Keep the webhook while two versions with different schemas are served or stored. Migrate all objects to one version, " +
			"and stop serving the other version first.",
		Scope: InDefinition, Old: exampleWebhook("blue", exampleVersion("v1", true, bothFields)+", "+exampleVersion("v2", false, onlyOther)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther))},
	{ID: "E11", Change: "conversion None -> Webhook", Verdict: Review, Hits: Hits{Stored: true, Writers: true, Readers: true},
		What: "The conversion strategy changes from None to Webhook.",
		Who: "Clients of every version other than the storage version: reads, writes and lists need the webhook, as does the garbage " +
			"collector. If the webhook is unavailable, they fail.",
		Fix: "Install the webhook first, with its Service and a valid CA bundle. Verify that it responds, and then apply the CRD. Run " +
			"more than one replica.",
		Scope: InDefinition, Old: exampleDefinition(v1Stored, v2Served), New: exampleWebhook("blue", v1Stored+", "+v2Served)},
	{ID: "E12", Change: "conversion webhook service changed", Verdict: Review, Hits: Hits{Stored: true, Writers: true, Readers: true},
		What: "Conversion uses a webhook of another Service or URL.",
		Who: "Clients of every version other than the storage version: reads and writes use the new endpoint immediately. If it is " +
			"unavailable, or its certificate does not match the CA bundle, they fail.",
		Fix: "Send a ConversionReview to the new endpoint before the change, and keep the old endpoint available until the change is " +
			"complete.",
		Scope: InDefinition, Old: exampleWebhook("blue", v1Stored+", "+v2Served), New: exampleWebhook("green", v1Stored+", "+v2Served)},
	{ID: "E17", Change: "storage switched to a version that lacks a field, conversion None", Verdict: Destructive, Hits: hitsAll,
		What: "The new storage version lacks a field of the old one, and the conversion strategy is None.",
		Who: "All objects: the API server prunes an object by the schema of the storage version when it is written in any version. " +
			"The first write of an object, even of its status, deletes the field permanently. Clients of other versions can no longer " +
			"set it.",
		Fix:   "Declare the field in the storage version, or convert with a webhook that preserves it.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther)),
		New: exampleDefinition(exampleVersion("v1", false, bothFields), exampleVersion("v2", true, onlyOther))},
	{ID: "E18", Change: "versions differ, as before the change", Verdict: Informational,
		What:  "Two served versions differ in the same way as before the change.",
		Who:   "Nobody: the difference between the versions is not new.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, onlyOther))},
	{ID: "E19", Change: "enum value added in one version only", Verdict: Review, Hits: hitsReaders,
		What: "A value is added to an enum, but not in all served versions.",
		Who: "Clients of the other version: they read a value that their schema does not list, and their edits of the field are " +
			"rejected.",
		Fix:   "Add the value in all served versions in the same change.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, enumA), exampleVersion("v2", false, enumA)),
		New: exampleDefinition(exampleVersion("v1", true, enumA), exampleVersion("v2", false, enumAB))},
	{ID: "E21", Change: "field added in one version only, conversion None", Verdict: Review, Hits: Hits{Writers: true,
		Readers: true, Rollback: true},
		What: "A field is added, but not in all served versions, and the conversion strategy is None.",
		Who: "Clients of the other version: their writes delete the new field. If the storage version lacks the field, it is never " +
			"stored.",
		Fix:   "Add the field to all versions in the same change.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false, bothFields)),
		New: exampleDefinition(exampleVersion("v1", true, bothFields), exampleVersion("v2", false,
			"{f: {type: string}, g: {type: string}, other: {type: string}}"))},
	{ID: "E22", Change: "storage switched to a version whose schema is narrower", Verdict: Breaking, Hits: hitsValues,
		What: "The schema of the new storage version allows fewer values than that of the old one.",
		Who: "Objects with a value that only the old storage version allows: they are stored in a version in which they are invalid. " +
			"Clients of this version cannot edit them, and the objects cannot be recreated in it.",
		Fix: "Let the storage version allow all values that any served version allows. Tighten it after all objects have been " +
			"corrected.",
		Scope: InDefinition, Old: exampleDefinition(exampleVersion("v1", true, enumAB), exampleVersion("v2", false, enumA)),
		New: exampleDefinition(exampleVersion("v1", false, enumAB), exampleVersion("v2", true, enumA))},
}
