// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // registers the format "json"
	"k8s.io/klog/v2"
)

// verbosity of each log level. klog's own warnings are informational lines of verbosity 0; only errors are separate.
var verbosity = map[string]logsapi.VerbosityLevel{"debug": 4, "info": 2, "warning": 0, "error": 0}

// formats maps the values of the flag to those of component-base.
var formats = map[string]string{"json": logsapi.JSONLogFormat, "console": logsapi.DefaultLogFormat}

// Logging contains the logging flags. They replace those of component-base, which are not exposed.
type Logging struct {
	// Level is debug, info, warning or error.
	Level string
	// Format is json or console.
	Format string
}

// NewLogging returns the defaults: level info, format json.
func NewLogging() *Logging {
	return &Logging{Level: "info", Format: "json"}
}

// AddFlags adds --log-level and --log-format.
func (l *Logging) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&l.Level, "log-level", l.Level, "Minimum severity of logged messages: "+choices(verbosity)+".")
	flags.StringVar(&l.Format, "log-format", l.Format, "Format of the log: "+choices(formats)+".")
}

// Validate returns every error of the flags.
func (l *Logging) Validate() []error {
	var errs []error
	if _, ok := verbosity[l.Level]; !ok {
		errs = append(errs, fmt.Errorf("--log-level: %q is not supported: must be one of %s", l.Level, choices(verbosity)))
	}
	if _, ok := formats[l.Format]; !ok {
		errs = append(errs, fmt.Errorf("--log-format: %q is not supported: must be one of %s", l.Format, choices(formats)))
	}
	return errs
}

// Apply configures klog, and every library that logs with it, according to the flags. It may be
// called once in a process.
func (l *Logging) Apply() error {
	config := logsapi.NewLoggingConfiguration()
	config.Format = formats[l.Format]
	config.Verbosity = verbosity[l.Level]
	if err := logsapi.ValidateAndApply(config, nil); err != nil {
		return fmt.Errorf("logging: %w", err)
	}
	if l.Level == "error" {
		klog.SetLogger(logr.New(errorsOnly{klog.Background().GetSink()}))
	}
	return nil
}

// errorsOnly drops informational lines.
type errorsOnly struct {
	logr.LogSink
}

func (errorsOnly) Enabled(int) bool         { return false }
func (errorsOnly) Info(int, string, ...any) {}

func (s errorsOnly) WithValues(pairs ...any) logr.LogSink {
	return errorsOnly{s.LogSink.WithValues(pairs...)}
}
func (s errorsOnly) WithName(name string) logr.LogSink { return errorsOnly{s.LogSink.WithName(name)} }

func choices[V any](values map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}
