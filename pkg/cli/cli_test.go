// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// With logEnv set, this test binary logs a line of each kind and exits: logging can be configured
// only once in a process.
const logEnv = "CLI_TEST_LOG"

func TestMain(m *testing.M) {
	if value := os.Getenv(logEnv); value != "" {
		level, format, _ := strings.Cut(value, "/")
		logging := &Logging{Level: level, Format: format}
		if err := logging.Apply(); err != nil {
			panic(err)
		}
		logger := klog.Background().WithName("named").WithValues("k", "v")
		logger.Info("plain line")
		logger.V(2).Info("info line")
		logger.V(4).Info("debug line")
		logger.Error(os.ErrClosed, "error line")
		klog.Flush()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestFlagsFromTheEnvironment(t *testing.T) {
	t.Setenv("ROADSTEAD_DATA_DIR", "/env")
	t.Setenv("ROADSTEAD_NAMESPACE", "env")
	t.Setenv("ROADSTEAD_COUNT", "3")
	t.Setenv("ROADSTEAD_NO_SUCH_FLAG", "x")
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	dir := flags.String("data-dir", "/default", "")
	namespace := flags.String("namespace", "default", "")
	count := flags.Int("count", 1, "")
	other := flags.String("other", "default", "")
	require.NoError(t, flags.Parse([]string{"--namespace=flag"}))
	require.NoError(t, SetFromEnv(flags))
	require.Equal(t, []any{"/env", "flag", 3, "default"}, []any{*dir, *namespace, *count, *other})

	t.Setenv("ROADSTEAD_COUNT", "many")
	require.NoError(t, flags.Set("data-dir", "/x"))
	flags.Lookup("count").Changed = false
	require.ErrorContains(t, SetFromEnv(flags), "environment variable ROADSTEAD_COUNT")
}

func TestLoggingFlags(t *testing.T) {
	logging := NewLogging()
	require.Empty(t, logging.Validate())
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	logging.AddFlags(flags)
	require.NoError(t, flags.Parse([]string{"--log-level=loud", "--log-format=xml"}))
	errs := logging.Validate()
	require.Len(t, errs, 2)
	require.EqualError(t, errs[0], `--log-level: "loud" is not supported: must be one of debug, error, info, warning`)
	require.EqualError(t, errs[1], `--log-format: "xml" is not supported: must be one of console, json`)
}

func TestLevelsAndFormats(t *testing.T) {
	for level, want := range map[string][]string{
		"debug":   {"plain line", "info line", "debug line", "error line"},
		"info":    {"plain line", "info line", "error line"},
		"warning": {"plain line", "error line"},
		"error":   {"error line"},
	} {
		for _, format := range []string{"json", "console"} {
			t.Run(level+" "+format, func(t *testing.T) {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), logEnv+"="+level+"/"+format)
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &out
				require.NoError(t, cmd.Run(), "%s", out.String())
				lines := strings.Split(strings.TrimSpace(out.String()), "\n")
				require.Len(t, lines, len(want), "%s", out.String())
				for i, line := range lines {
					require.Contains(t, line, want[i])
					if format == "json" {
						var entry map[string]any
						require.NoError(t, json.Unmarshal([]byte(line), &entry))
						require.Equal(t, "v", entry["k"])
					}
				}
			})
		}
	}
}
