// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE]",
		Short: "Explain a rule, or list all rules",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, rule := range rules.All {
					_, _ = fmt.Fprintf(command.OutOrStdout(), "%-7s  %-2s  %s\n", rule.Code(), rule.Verdict, rule.Change)
				}
				return nil
			}
			rule, err := ruleOf(args[0])
			if err != nil {
				return err
			}
			page(command.OutOrStdout(), rule)
			return nil
		},
	}
}

// ruleOf returns the rule with the given code, in one of the forms CRD-101, crd-101 and 101.
func ruleOf(code string) (rules.Rule, error) {
	code = strings.ToUpper(code)
	if !strings.HasPrefix(code, "CRD-") {
		code = "CRD-" + code
	}
	rule, err := rules.ByCode(code)
	if err != nil {
		return rule, fmt.Errorf("%w; to list all rules, run: %s explain", err, Name)
	}
	return rule, nil
}

// page writes the description of a rule.
func page(w io.Writer, rule rules.Rule) {
	line := func(label, text string) {
		if text != "" {
			_, _ = fmt.Fprintf(w, "%-10s %s\n", label, text)
		}
	}
	_, _ = fmt.Fprintf(w, "%s  %s\n\n", rule.Code(), rule.Change)
	line("Verdict", fmt.Sprintf("%s: %s", rule.Verdict, rule.Verdict.Describe()))
	line("What", rule.What)
	line("Who", rule.Who)
	line("Fix", rule.Fix)
	if rule.MinServerVersion != "" {
		line("Since", "Kubernetes "+rule.MinServerVersion)
	}
	line("Docs", rules.DocsURL(rule.Code()))
	effects := rule.Effects
	if effects != (rules.Effects{}) {
		_, _ = fmt.Fprint(w, "\nEffects on objects that were valid before:\n")
		for _, one := range []struct{ what, effect string }{
			{"reading a stored object", effects.Read},
			{"creating it again", effects.Create},
			{"updating metadata only", effects.MetadataUpdate},
			{"updating another field", effects.SiblingUpdate},
			{"writing what was allowed before", effects.OldClient},
			{"server-side apply of a stored object", effects.Apply},
			{"a new object after a rollback", effects.Rollback},
		} {
			if one.effect != "" {
				_, _ = fmt.Fprintf(w, "  %-37s %s\n", one.what, one.effect)
			}
		}
	}
	for _, one := range []struct{ label, schema string }{{"Before", rule.Old}, {"After", rule.New}} {
		if one.schema != "" {
			_, _ = fmt.Fprintf(w, "\n%s:\n  %s\n", one.label, strings.ReplaceAll(strings.TrimRight(one.schema, "\n"), "\n", "\n  "))
		}
	}
}
