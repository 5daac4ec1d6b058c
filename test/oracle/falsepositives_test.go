// SPDX-License-Identifier: Apache-2.0

package oracle

// panics maps the pairs on which crdify panics to the cause.
var panics = map[string]string{
	"E15": "it reads the schema of each version without looking whether there is one",
}

// falsePositive is an error of crdify for a pair although nothing that was valid is refused, lost
// or unreachable.
type falsePositive struct {
	// checks are crdify's names of the checks.
	checks []string
	reason string
}

// falsePositives are keyed by pair. If the verdict of the pair is R, the change needs a review but
// does not break anything.
var falsePositives = map[string]falsePositive{
	"104": {[]string{"required"}, "The new required field has a default, so the server fills it in wherever it is missing."},
	"112": {[]string{"existingFieldRemoval", "type", "unhandled"},
		"The parent keeps undeclared keys, so the value of the field stays as it is."},
	"202": {[]string{"type"}, "Each integer is a number, so each stored value stays valid."},
	"208": {[]string{"existingFieldRemoval", "type", "unhandled"},
		"The fields are entries of a map now, whose values have their type, so nothing is pruned."},
	"214": {[]string{"type", "unhandled"}, "Each string is a valid int-or-string."},
	"219": {[]string{"type", "unhandled"}, "The field takes any value now, strings too."},
	"302": {[]string{"enum"}, "A value more is allowed, and none less."},
	"304": {[]string{"enum"}, "The list of allowed values is gone, so each of them stays allowed."},
	"410": {[]string{"unhandled"}, "The bound itself is allowed now, so more is valid than before."},
	"412": {[]string{"unhandled"}, "Each multiple of 10 is a multiple of 5."},
	"503": {[]string{"pattern"}, "Each text that matches the old pattern matches the new one, which is proved."},
	"504": {[]string{"pattern"}, "Without a pattern each text is valid."},
	"506": {[]string{"unhandled"}, "Without a format each text is valid."},
	"509": {[]string{"unhandled"}, "The server does not know the format, so it checks nothing."},
	"602": {[]string{"default"}, "Both defaults are valid, so no object is refused; those that rely on the old one change their " +
		"meaning, which is to be reviewed."},
	"605": {[]string{"default"}, "A default more refuses nothing."},
	"606": {[]string{"default"}, "A default more refuses nothing, be it on the parent or on the child."},
	"610": {[]string{"default"}, "A default more refuses nothing, in the items of a list neither."},
	"611": {[]string{"default", "required"}, "The default comes together with the requirement and fulfils it."},
	"704": {[]string{"nullable"}, "Null is allowed too, and nothing less."},
	"706": {[]string{"nullable", "unhandled"}, "An entry of a map whose value is null is dropped when it is read, so no object is refused."},
	"802": {[]string{"unhandled"}, "More is kept than before."},
	"806": {[]string{"unhandled"}, "The value need no longer be a whole resource, so more is valid than before."},
	"902": {[]string{"unhandled"}, "A list without duplicates is a valid list; only the owners in server-side apply change."},
	"907": {[]string{"unhandled"}, "Each value stays valid; only the owners in server-side apply change."},
	"A04": {[]string{"unhandled"}, "Without the rule more is valid than before."},
	"A06": {[]string{"unhandled"}, "The message of a rule changes, and the rule stays."},
	"B05": {[]string{"unhandled"}, "One more alternative of anyOf allows more."},
	"B11": {[]string{"enum", "unhandled"}, "The enum stands below not, so one value less there is one more that is allowed."},
	"B12": {[]string{"existingFieldRemoval", "minimum", "unhandled"}, "The bound moves out of an allOf and says the same in its new place."},
	"B13": {[]string{"existingFieldRemoval", "unhandled"},
		"Without the alternatives more is valid than before, and conditions declare no field."},
	"C01": {[]string{"description"}, "A description is text for people."},
	"C02": {[]string{"unhandled"}, "Title, example and externalDocs are text for people."},
	"E08": {[]string{"type"}, "A webhook converts between the versions, so whether the field is lost is up to it."},
	"E16": {[]string{"existingFieldRemoval", "type", "unhandled"}, "The root keeps undeclared keys, so every field stays as it is."},
	"E19": {[]string{"enum"}, "A value more is allowed in one version, and none less in either."},
}
