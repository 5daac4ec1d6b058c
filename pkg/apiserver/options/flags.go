// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
)

// Flags returns the server's flags in sections for the help text. What the generic server's options add beyond the
// reviewed list is left out; a test fails on a flag that is on neither list, so that an upgrade brings none in unseen.
func (o *Options) Flags() cliflag.NamedFlagSets {
	var sections cliflag.NamedFlagSets
	own := sections.FlagSet("roadstead")
	own.StringVar(&o.DataDir, "data-dir", o.DataDir, fmt.Sprintf("Folder where the embedded etcd keeps its data (with --etcd-servers=%s).", EmbeddedEtcd))
	own.StringVar(&o.Namespace, "namespace", o.Namespace, "Namespace of the installation.")
	own.StringVar(&o.Service, "service-name", o.Service, "Name of the server's Service in that namespace; the serving certificate is made for it.")
	o.Logging.AddFlags(sections.FlagSet("logging"))

	for name, add := range o.upstream() {
		all := pflag.NewFlagSet(name, pflag.ContinueOnError)
		add(all)
		section := sections.FlagSet(name)
		all.VisitAll(func(flag *pflag.Flag) {
			if allowedFlags.Has(flag.Name) {
				section.AddFlag(flag)
			}
		})
	}
	if servers := sections.FlagSet("etcd").Lookup("etcd-servers"); servers != nil {
		servers.Usage = fmt.Sprintf("etcd servers (scheme://ip:port), comma separated, or the word %q for one inside this process.", EmbeddedEtcd)
	}
	return sections
}

// upstream lists the sections of the generic server's options.
func (o *Options) upstream() map[string]func(*pflag.FlagSet) {
	return map[string]func(*pflag.FlagSet){
		"generic":        o.ServerRun.AddUniversalFlags,
		"etcd":           o.Etcd.AddFlags,
		"secure serving": o.SecureServing.AddFlags,
		"authentication": o.Authn.AddFlags,
		"authorization":  o.Authz.AddFlags,
		"audit":          o.Audit.AddFlags,
		"features":       o.Features.AddFlags,
		"host cluster":   o.CoreAPI.AddFlags,
		"admission":      o.Admission.AddFlags,
		"tracing":        o.Traces.AddFlags,
		"API enablement": o.APIEnablement.AddFlags,
	}
}
