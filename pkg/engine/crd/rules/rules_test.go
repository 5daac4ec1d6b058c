// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// longestText is the maximum length of a text of a rule, in characters. The cause of a refusal includes such texts.
const longestText = 400

// avoided matches words for which the Kubernetes documentation has a common term: create again, CRD, in addition to, immediately.
var avoided = regexp.MustCompile(`(?i)\b(anew|definitions?|beside|at once|whoever|people)\b`)

func TestRulesAreSortedAndUnique(t *testing.T) {
	require.Greater(t, len(All), 200)
	form := regexp.MustCompile(`^([0-9]|[A-ELRSX])[0-9]{1,2}$`)
	for i, rule := range All {
		assert.Regexp(t, form, rule.ID)
		if i > 0 {
			assert.Less(t, All[i-1].ID, rule.ID)
		}
		found, err := ByCode(rule.Code())
		require.NoError(t, err)
		assert.Equal(t, rule, found)
	}
}

func TestThereAreNoOtherCodes(t *testing.T) {
	for _, code := range []string{"", "101", "CRD-", "CRD-999", "crd-101"} {
		_, err := ByCode(code)
		assert.ErrorContains(t, err, "there is no rule", code)
	}
}

func TestEveryRuleIsInOneFamily(t *testing.T) {
	seen := map[string]string{}
	for _, family := range Families {
		assert.NotEmpty(t, family.Rules(), family.Page)
		for _, rule := range family.Rules() {
			assert.Empty(t, seen[rule.ID], "%s is also on %s", rule.ID, family.Page)
			seen[rule.ID] = family.Page
		}
	}
	for _, rule := range All {
		assert.NotEmpty(t, seen[rule.ID], rule.ID)
	}
}

func TestDocsURL(t *testing.T) {
	for code, want := range map[string]string{
		"CRD-101":        "https://roadstead.dev/docs/rules/fields.md#crd-101",
		"CRD-A02":        "https://roadstead.dev/docs/rules/validation-rules.md#crd-a02",
		"ChartCRDVaries": "https://roadstead.dev/docs/rules/README.md",
	} {
		assert.Equal(t, want, DocsURL(code))
	}
}

func TestEveryRuleHasTexts(t *testing.T) {
	for _, rule := range All {
		assert.Contains(t, severity, rule.Verdict, rule.ID)
		assert.NotEmpty(t, rule.Change, rule.ID)
		assert.NotEmpty(t, rule.What, rule.ID)
		assert.NotEmpty(t, rule.Who, rule.ID)
		if rule.Verdict.AtLeast(Review) {
			assert.NotEmpty(t, rule.Fix, rule.ID)
		}
		for _, text := range []string{rule.Change, rule.What, rule.Who, rule.Fix} {
			assert.LessOrEqual(t, len([]rune(text)), longestText, rule.ID)
			assert.Equal(t, strings.TrimSpace(text), text, rule.ID)
			assert.NotContains(t, text, "\n", rule.ID)
			assert.NotRegexp(t, avoided, text, rule.ID)
		}
		for _, sentence := range []string{rule.What, rule.Who, rule.Fix} {
			assert.True(t, sentence == "" || strings.HasSuffix(sentence, "."), "%s: %q ends without a full stop", rule.ID, sentence)
		}
		assert.False(t, strings.HasSuffix(rule.Change, "."), rule.ID)
	}
}

func TestHitsFitTheVerdict(t *testing.T) {
	for _, rule := range All {
		hits := rule.Hits
		switch {
		case rule.Verdict == Informational:
			assert.Equal(t, Hits{}, hits, rule.ID)
		case rule.Verdict == Safe:
			assert.False(t, hits.Stored || hits.Writers || hits.SSAWriters, "%s hurts somebody and is safe", rule.ID)
		case rule.Verdict == Refused || rule.ID == "L06": // Nothing changes; or nothing is known.
		case rule.Provable: // Nobody may be hit.
		default:
			assert.NotEqual(t, Hits{}, hits, "%s hits nobody", rule.ID)
		}
		effects := rule.Effects
		if rule.Verdict == Refused {
			continue
		}
		if effects.Rollback != "" {
			assert.True(t, hits.Rollback, "%s hits a rollback", rule.ID)
		}
		if effects.Read == "pruned" || effects.Read == "dropped" || effects.Read == "defaulted" {
			assert.True(t, hits.Stored && hits.Readers, "%s changes what is read", rule.ID)
		}
		if effects.Create == "rejected" || effects.MetadataUpdate == "rejected" || effects.SiblingUpdate == "rejected" {
			assert.True(t, hits.Stored, "%s rejects stored objects", rule.ID)
		}
		if effects.OldClient == "rejected" || effects.OldClient == "lost" {
			assert.True(t, hits.Writers, "%s hits writers", rule.ID)
		}
		if effects.Apply == "rejected" {
			assert.True(t, hits.SSAWriters, "%s rejects server-side apply", rule.ID)
		}
	}
}

func TestEffectsAreOfTheKnownKinds(t *testing.T) {
	known := map[string][]string{
		"Read":           {"same", "pruned", "dropped", "defaulted"},
		"Create":         {"ok", "rejected"},
		"MetadataUpdate": {"ok", "rejected"},
		"SiblingUpdate":  {"ok", "rejected"},
		"OldClient":      {"ok", "lost", "rejected", ""},
		"Apply":          {"ok", "rejected"},
		"Rollback":       {"", "pruned", "rejected", "bricked", "pruned or rejected"},
	}
	for _, rule := range All {
		if rule.Effects == (Effects{}) {
			assert.True(t, rule.Verdict == Refused || rule.Scope == InDefinition || rule.Scope == InCluster, "%s: nothing was measured", rule.ID)
			continue
		}
		effects := reflect.ValueOf(rule.Effects)
		require.Equal(t, len(known), effects.NumField())
		for name, values := range known {
			assert.True(t, slices.Contains(values, effects.FieldByName(name).String()), "%s: %s %q", rule.ID, name, effects.FieldByName(name))
		}
	}
}

func TestRulesWithoutAnExampleConcernMoreThanTwoDefinitions(t *testing.T) {
	for _, rule := range All {
		assert.Equal(t, rule.Scope == InCluster, rule.Old == "", rule.ID)
		assert.Equal(t, rule.Old == "", rule.New == "", rule.ID)
		assert.Equal(t, strings.ContainsAny(rule.ID[:1], "SL"), rule.Scope == InCluster, rule.ID)
		assert.True(t, rule.After == "" || rule.Object != "", "%s: a sample of the new form without one of the old", rule.ID)
		for _, text := range []string{rule.Old, rule.New, rule.Object, rule.After} {
			var decoded map[string]any
			assert.NoError(t, yaml.UnmarshalStrict([]byte(text), &decoded), "%s: %s", rule.ID, text)
		}
	}
}
