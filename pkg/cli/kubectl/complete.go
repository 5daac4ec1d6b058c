// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// completionTimeout is the timeout of all requests for one completion.
const completionTimeout = 3 * time.Second

const quietly = cobra.ShellCompDirectiveNoFileComp

// complete registers the values of a flag, none for free text.
func complete(command *cobra.Command, flag string, values ...string) {
	// It returns an error only for a flag that does not exist or has values already, which a test
	// would detect.
	_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, quietly))
}

// completeFlags completes the flags that all commands share.
func (t *tool) completeFlags(root *cobra.Command) {
	_ = root.RegisterFlagCompletionFunc("namespace", func(command *cobra.Command, _ []string, _ string) ([]cobra.Completion,
		cobra.ShellCompDirective) {
		return t.suggest(command, func(ctx context.Context, c *cluster) []string {
			return c.names(ctx, &kind{APIResource: metav1.APIResource{Name: "namespaces"}, version: schema.GroupVersion{Version: "v1"}})
		}), quietly
	})
	_ = root.RegisterFlagCompletionFunc("context", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		config, err := t.flags.ToRawKubeConfigLoader().RawConfig()
		if err != nil {
			return nil, quietly
		}
		return slices.Sorted(maps.Keys(config.Contexts)), quietly
	})
}

// suggest queries the cluster with a short timeout. Without a response there are no suggestions.
func (t *tool) suggest(command *cobra.Command, ask func(context.Context, *cluster) []string) []string {
	c, err := t.connect()
	if err != nil {
		return nil
	}
	ctx := command.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	return ask(ctx, c)
}

// completeObjects completes KIND/NAME and KIND NAME.
func (t *tool) completeObjects(command *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	kindName, _, slash := strings.Cut(toComplete, "/")
	directive := quietly
	if len(args) == 0 && !slash {
		directive |= cobra.ShellCompDirectiveNoSpace // a name follows, after a space or a slash
	}
	return t.suggest(command, func(ctx context.Context, c *cluster) []string {
		served, err := discover(ctx, c.discovery)
		if err != nil {
			return nil
		}
		prefix := kindName + "/"
		switch {
		case slash:
		case len(args) == 0:
			return shortest(served.ours())
		case strings.Contains(args[0], "/"):
			return nil
		default:
			kindName, prefix = args[0], ""
		}
		k, err := choose(kindName, served.ours())
		if err != nil {
			return nil
		}
		return prefixed(prefix, c.names(ctx, k))
	}), directive
}

// completeDecisions completes the names of objects that wait for a decision.
func (t *tool) completeDecisions(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, quietly
	}
	return t.suggest(command, func(ctx context.Context, c *cluster) []string {
		served, err := discover(ctx, c.discovery)
		if err != nil {
			return nil
		}
		kinds := deciding(served)
		var all []string
		for _, k := range kinds {
			prefix := ""
			if len(kinds) > 1 {
				prefix = k.Name + "/"
			}
			all = append(all, prefixed(prefix, c.names(ctx, k))...)
		}
		return all
	}), quietly
}

// names returns the names of all objects of a kind, none if they cannot be listed.
func (c *cluster) names(ctx context.Context, k *kind) []string {
	items, _, err := c.partials(ctx, k, c.namespace)
	if err != nil {
		return nil
	}
	var names []string
	for i := range items {
		names = append(names, items[i].Name)
	}
	return names
}

// shortest returns a one-word name of each kind if that is unambiguous.
func shortest(kinds []*kind) []string {
	var names []string
	for _, k := range kinds {
		name := strings.ToLower(k.Kind)
		if _, err := choose(name, kinds); err != nil {
			name = k.fullName()
		}
		names = append(names, name)
	}
	return names
}

func prefixed(prefix string, names []string) []string {
	for i := range names {
		names[i] = prefix + names[i]
	}
	return names
}
