// SPDX-License-Identifier: Apache-2.0

package version

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/version"
)

func TestTheMetricHasTheStampedVersion(t *testing.T) {
	built := version.Get()
	require.NotEmpty(t, built.GitVersion)
	want := "# HELP roadstead_build_info 1, with the version of the program and the commit it was built from.\n" +
		"# TYPE roadstead_build_info gauge\n" +
		`roadstead_build_info{commit="` + built.GitCommit + `",version="` + built.GitVersion + `"} 1` + "\n"
	require.NoError(t, testutil.CollectAndCompare(NewCollector(), strings.NewReader(want)))
}
