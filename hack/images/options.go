// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/spf13/pflag"
)

// options are the parsed flags.
type options struct {
	root, out                  string
	version, revision, ldflags string
	source, push               string
	programs                   []program
	platforms                  []v1.Platform
	// created is the date of the images. It is that of the source because the time of the build
	// would make each build a different image.
	created time.Time
}

// parse parses the flags. The sourceDate is the value of SOURCE_DATE_EPOCH, in seconds since 1970;
// empty is 1970.
func parse(args []string, sourceDate string) (options, error) {
	var o options
	var only, platforms []string
	flags := pflag.NewFlagSet("images", pflag.ContinueOnError)
	flags.StringVar(&o.root, "root", ".", "Root of the checkout.")
	flags.StringVar(&o.out, "out", "out/images", "Folder that gets an OCI layout for each program.")
	flags.StringVar(&o.version, "version", "", "Version of the programs: a label of the images, and their tag. Required.")
	flags.StringVar(&o.revision, "revision", "", "Commit that the source is of: a label of the images.")
	flags.StringVar(&o.source, "source", "https://roadstead.dev/roadstead", "Where the source is: a label of the images.")
	flags.StringVar(&o.ldflags, "ldflags", "", "Flags of the linker, with the version stamp.")
	flags.StringVar(&o.push, "push", "", "Registry and path to push to, such as registry.example.com/team. Empty: push nothing.")
	flags.StringSliceVar(&only, "only", names(), "Programs to build images of.")
	flags.StringSliceVar(&platforms, "platforms", []string{"linux/amd64", "linux/arm64"}, "Platforms to build for.")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag: programs are named with --only", flags.Arg(0))
	}
	if o.version == "" {
		return o, fmt.Errorf("--version is not set: it becomes the tag of the images, such as v1.2.3")
	}
	if sourceDate == "" {
		sourceDate = "0"
	}
	seconds, err := strconv.ParseInt(sourceDate, 10, 64)
	if err != nil {
		return o, fmt.Errorf("SOURCE_DATE_EPOCH: %q is no number of seconds since 1970", sourceDate)
	}
	o.created = time.Unix(seconds, 0).UTC()
	if o.programs, err = choose(only); err != nil {
		return o, err
	}
	o.platforms, err = parsePlatforms(platforms)
	return o, err
}

func parsePlatforms(all []string) ([]v1.Platform, error) {
	var platforms []v1.Platform
	for _, text := range all {
		platform, err := v1.ParsePlatform(text)
		if err != nil {
			return nil, fmt.Errorf("--platforms: %w", err)
		}
		if platform.OS != "linux" || platform.Architecture == "" || platform.Variant != "" {
			return nil, fmt.Errorf("--platforms: %q is not linux/<architecture>, such as linux/arm64", text)
		}
		platforms = append(platforms, *platform)
	}
	if len(platforms) == 0 {
		return nil, fmt.Errorf("--platforms is empty: name at least one, such as linux/amd64")
	}
	return platforms, nil
}

// choose returns the programs of these names, in the order of the table.
func choose(only []string) ([]program, error) {
	for _, name := range only {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("--only: there is no program %q, but %s", name, strings.Join(names(), ", "))
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(programs), func(p program) bool { return !slices.Contains(only, p.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--only is empty: name at least one of %s", strings.Join(names(), ", "))
	}
	return chosen, nil
}
