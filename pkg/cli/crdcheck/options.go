// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"roadstead.dev/roadstead/pkg/engine/crd/bundle"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

// The values of --output.
const (
	formatText  = "text"
	formatJSON  = "json"
	formatSARIF = "sarif"
)

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// Options are the flags of the command.
type Options struct {
	// Chart takes the inputs for Helm charts; archives and folders with a Chart.yaml are taken for such anyway.
	Chart bool
	// Live compares with the cluster instead of an old input.
	Live    bool
	Reverse bool
	// Output is text, json or sarif.
	Output string
	// Color is auto, always or never.
	Color string
	// TargetVersion is the Kubernetes version that is compared for, and rendered for. Empty: the cluster's with Live, the
	// default of pkg/engine/crd/compare without.
	TargetVersion string
	Strict        bool
	NoFail        bool
	ShowDigest    bool
	// Values, Set and APIVersions are for the rendering of charts.
	Values, Set, APIVersions []string
	Release, Namespace       string
	// Kubeconfig and Context name the cluster; empty as kubectl finds them.
	Kubeconfig, Context string
	// LiveBudget ends the replay of live objects.
	LiveBudget time.Duration
	NoObjects  bool
}

// NewOptions returns the defaults.
func NewOptions() *Options {
	return &Options{Output: formatText, Color: colorAuto, Release: "release", Namespace: "default", LiveBudget: time.Minute}
}

// AddFlags adds the flags of the command to a set.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Chart, "chart", o.Chart,
		"The inputs are Helm charts: archives or folders. A .tgz and a folder with a Chart.yaml are taken for one without it.")
	flags.BoolVar(&o.Live, "live", o.Live, "Compare with the definitions in the cluster, and replay its objects against the new ones.")
	flags.BoolVar(&o.Reverse, "reverse", o.Reverse, "Tell as well what a rollback would do. It does not count for the exit code.")
	flags.StringVarP(&o.Output, "output", "o", o.Output, "How to show the findings: text, json or sarif.")
	flags.StringVar(&o.Color, "color", o.Color, "Colour the text: auto (on a terminal, unless NO_COLOR is set), always or never.")
	flags.StringVar(&o.TargetVersion, "target-version", o.TargetVersion,
		"Kubernetes version of the cluster, such as 1.34. Empty: that of the cluster with --live, else "+compare.DefaultTargetVersion+".")
	flags.BoolVar(&o.Strict, "strict", o.Strict, "Exit with 1 where something is to be reviewed.")
	flags.BoolVar(&o.NoFail, "no-fail", o.NoFail,
		"Exit with 0 whatever was found, but still with 3 for unusable input; for steps that only hand the findings on.")
	flags.BoolVar(&o.ShowDigest, "show-digest", o.ShowDigest,
		"Print the digest of each changed definition, and the command that allows exactly this change in a guarded cluster.")
	flags.StringArrayVarP(&o.Values, "values", "f", o.Values,
		"YAML file of values to render charts with, both old and new; may be given several times.")
	flags.StringArrayVar(&o.Set, "set", o.Set, "Value to render charts with, such as crds.install=true; may be given several times.")
	flags.StringSliceVar(&o.APIVersions, "api-versions", o.APIVersions,
		"API versions that charts see in the cluster besides those of Kubernetes, such as monitoring.coreos.com/v1.")
	flags.StringVar(&o.Release, "release-name", o.Release, "Name of the release that charts are rendered for.")
	flags.StringVarP(&o.Namespace, "namespace", "n", o.Namespace, "Namespace of the release that charts are rendered for.")
	flags.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "Kubeconfig for --live. Empty: as kubectl finds it.")
	flags.StringVar(&o.Context, "context", o.Context, "Context of the kubeconfig for --live. Empty: the current one.")
	flags.DurationVar(&o.LiveBudget, "live-budget", o.LiveBudget,
		"How long the replay of live objects may take for all definitions together. What was not reached is said.")
	flags.BoolVar(&o.NoObjects, "no-objects", o.NoObjects, "With --live, compare the definitions only, and leave the objects alone.")
}

// Validate tells what is wrong with the flags and the number of inputs.
func (o *Options) Validate(inputs []string) error {
	if err := oneOf("--output", o.Output, formatText, formatJSON, formatSARIF); err != nil {
		return err
	}
	if err := oneOf("--color", o.Color, colorAuto, colorAlways, colorNever); err != nil {
		return err
	}
	if err := (compare.Options{TargetVersion: o.TargetVersion}).Validate(); err != nil {
		return fmt.Errorf("--target-version: %w", err)
	}
	if o.LiveBudget <= 0 {
		return fmt.Errorf("--live-budget: %s is not more than 0; --no-objects leaves the objects alone", o.LiveBudget)
	}
	switch {
	case o.Live && len(inputs) == 0:
		return errors.New("--live needs the new definitions: a file, a folder, a chart, or - for standard input")
	case !o.Live && len(inputs) != 2:
		return fmt.Errorf("two inputs are needed, the old and the new one, and %d were given; --help shows examples", len(inputs))
	}
	if count(inputs, bundle.Stdin) > 1 {
		return errors.New("standard input can be read only once")
	}
	return nil
}

func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %s", flag, value, strings.Join(allowed, ", "))
}

func count(all []string, one string) int {
	n := 0
	for _, each := range all {
		if each == one {
			n++
		}
	}
	return n
}
