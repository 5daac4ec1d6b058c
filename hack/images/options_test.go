// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestByDefaultAllProgramsAreBuiltForBothPlatforms(t *testing.T) {
	o, err := parse([]string{"--version", "v1.0.0"}, "")
	require.NoError(t, err)
	assert.Equal(t, programs, o.programs)
	require.Len(t, o.platforms, 2)
	assert.Equal(t, "linux/amd64", o.platforms[0].String())
	assert.Equal(t, "linux/arm64", o.platforms[1].String())
	assert.Zero(t, o.created.Unix())
}

func TestArgumentsThatAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		date string
		want string
	}{
		"no version": {want: "--version is not set"},
		"an unknown program": {args: []string{"--version=v1", "--only=roadstead"},
			want: `no program "roadstead", but roadstead-apiserver, roadstead-controller, roadstead-crdcheck`},
		"no program":          {args: []string{"--version=v1", "--only="}, want: "--only is empty"},
		"another system":      {args: []string{"--version=v1", "--platforms=windows/amd64"}, want: `"windows/amd64" is not linux/<architecture>`},
		"no architecture":     {args: []string{"--version=v1", "--platforms=linux"}, want: `"linux" is not linux/<architecture>`},
		"a variant":           {args: []string{"--version=v1", "--platforms=linux/arm/v7"}, want: "is not linux/<architecture>"},
		"no platform":         {args: []string{"--version=v1", "--platforms="}, want: "--platforms is empty"},
		"a date that is none": {args: []string{"--version=v1"}, date: "today", want: `SOURCE_DATE_EPOCH: "today"`},
		"a flag that is none": {args: []string{"--tag=v1"}, want: "unknown flag"},
		"an unknown word":     {args: []string{"--version=v1", "roadstead-crdcheck"}, want: `"roadstead-crdcheck" is no flag`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(c.args, c.date)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// TestAProgramThatDoesNotCompile checks that the output of the compiler is shown, and that an older
// layout is kept.
func TestAProgramThatDoesNotCompile(t *testing.T) {
	out := t.TempDir()
	var stdout bytes.Buffer
	err := run(t.Context(), []string{"--version=v1", "--root", t.TempDir(), "--out", out, "--only=roadstead-crdcheck"}, "", &stdout)
	assert.ErrorContains(t, err, "roadstead-crdcheck: compile ./cmd/crdcheck for linux/amd64")
	assert.ErrorContains(t, err, "go.mod")
	assert.NoFileExists(t, filepath.Join(out, "roadstead-crdcheck"))
	assert.Empty(t, stdout.String())
}
