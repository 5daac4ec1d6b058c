// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/cli/crdcheck"
	"roadstead.dev/roadstead/pkg/controllers/manager"
)

// section is one table of flags.
type section struct {
	Title string
	// Short describes the command, "" for the server itself.
	Short string
	Flags []row
}

// row is one flag, formatted for table cells.
type row struct {
	Flag, Env, Default, Meaning string
}

// sectionOrder lists Roadstead's sections and those with flags that most installations set before
// the rest. The server returns its sections in no defined order.
var sectionOrder = []string{
	"roadstead", "CRD guard", "logging", "host cluster", "secure serving", "etcd", "authentication", "authorization", "admission",
	"API enablement", "audit", "features", "generic", "tracing",
}

// machineDefaults replace defaults that depend on where the program runs.
var machineDefaults = map[string]string{
	"namespace": "the pod's namespace, outside of a pod `" + cli.DefaultNamespace + "`",
}

// longLists are flags whose help ends with a list that differs between versions of Kubernetes or
// Go. The help is cut at the text that begins the list.
var longLists = map[string]string{
	"emulated-version":      "Options are:",
	"feature-gates":         "Options are:",
	"tls-cipher-suites":     "Preferred values:",
	"tls-curve-preferences": "Supported values:",
}

// serverSections returns the flags of roadstead-apiserver.
func serverSections() ([]section, error) {
	sets := options.New().Flags()
	if err := known(sets); err != nil {
		return nil, err
	}
	var sections []section
	for _, name := range sectionOrder {
		if set := sets.FlagSets[name]; set != nil && set.HasFlags() {
			sections = append(sections, section{Title: strings.ToUpper(name[:1]) + name[1:], Flags: rows(set)})
		}
	}
	return sections, nil
}

// known returns an error for a section that is missing in sectionOrder, because the page would not
// contain it.
func known(sets cliflag.NamedFlagSets) error {
	for name := range sets.FlagSets {
		if !slices.Contains(sectionOrder, name) {
			return fmt.Errorf("section %q of the server's flags is new: add it to sectionOrder", name)
		}
	}
	return nil
}

// commands returns the commands of a program with their flags.
func commands(all []*cobra.Command) []section {
	var sections []section
	for _, command := range all {
		sections = append(sections, section{Title: command.Name(), Short: command.Short, Flags: rows(command.Flags())})
	}
	return sections
}

// controllerFlags returns the flags of roadstead-controller.
func controllerFlags() []row {
	set := pflag.NewFlagSet(manager.Name, pflag.ContinueOnError)
	manager.NewOptions().AddFlags(set)
	return rows(set)
}

// checkFlags returns the flags of roadstead-crdcheck.
func checkFlags() []row {
	return rows(crdcheck.NewCommand().Flags())
}

func rows(set *pflag.FlagSet) []row {
	var all []row
	set.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		all = append(all, row{
			Flag:    "`--" + flag.Name + "`",
			Env:     "`" + cli.EnvName(flag.Name) + "`",
			Default: defaultOf(flag),
			Meaning: meaning(flag),
		})
	})
	return all
}

func defaultOf(flag *pflag.Flag) string {
	if text, ok := machineDefaults[flag.Name]; ok {
		return text
	}
	value := strings.TrimSuffix(strings.TrimPrefix(flag.DefValue, "["), "]")
	if value == "" || value == "<nil>" { // an address that is not set
		return ""
	}
	return "`" + cell(value) + "`"
}

func meaning(flag *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(flag)
	if marker, ok := longLists[flag.Name]; ok {
		if before, _, found := strings.Cut(usage, marker); found {
			usage = before + "The values are in `--help`."
		}
	}
	if flag.Deprecated != "" {
		usage += " Deprecated: " + flag.Deprecated
	}
	return cell(usage)
}

// cell escapes text for one cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "*", `\*`).Replace(strings.Join(strings.Fields(text), " "))
}
