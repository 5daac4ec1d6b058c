// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
)

// Flags returns the server's flags in sections for the help text. It omits flags of the generic
// server that are not in allowedFlags. A test fails for a flag that is in neither list, so that an
// upgrade cannot add flags without a review.
func (o *Options) Flags() cliflag.NamedFlagSets {
	var sections cliflag.NamedFlagSets
	own := sections.FlagSet("roadstead")
	own.StringVar(&o.DataDir, "data-dir", o.DataDir, fmt.Sprintf(
		"Data directory of the embedded etcd (with --etcd-servers=%s).", EmbeddedEtcd))
	own.BoolVar(&o.Dev, "dev", o.Dev, "For development: allows a data directory of the embedded etcd that is not persistent "+
		"(memory, an emptyDir, the file system of a container).")
	own.StringVar(&o.Namespace, "namespace", o.Namespace, "Namespace of the installation.")
	own.StringVar(&o.Service, "service-name", o.Service, "Name of the server's Service in that namespace; the serving certificate is issued "+
		"for it.")
	own.StringVar(&o.ControllerUser, "controller-user", o.ControllerUser, "User name of roadstead-controller. Only this user creates "+
		"Approvals and the CRDSchemas of charts. "+
		"Default: the ServiceAccount "+controllerServiceAccount+" of the installation.")
	own.BoolVar(&o.AllowSelfApproval, "allow-self-approval", o.AllowSelfApproval, "Allows users to approve what they requested. For "+
		"installations with a single administrator.")
	o.Logging.AddFlags(sections.FlagSet("logging"))

	for _, upstream := range o.upstream() {
		all := pflag.NewFlagSet(upstream.section, pflag.ContinueOnError)
		upstream.add(all)
		section := sections.FlagSet(upstream.section)
		all.VisitAll(func(flag *pflag.Flag) {
			if allowedFlags.Has(flag.Name) {
				section.AddFlag(flag)
			}
		})
	}
	o.Authorization.AddFlags(sections.FlagSet("authorization"))
	o.CRDGuard.AddFlags(sections.FlagSet("CRD guard"))
	if servers := sections.FlagSet("etcd").Lookup("etcd-servers"); servers != nil {
		servers.Usage = fmt.Sprintf("List of etcd servers (scheme://ip:port), comma separated, or %q for an etcd inside this process.",
			EmbeddedEtcd)
	}
	return sections
}

// upstreamFlags is one section of the generic server's options.
type upstreamFlags struct {
	section string
	add     func(*pflag.FlagSet)
}

// upstream lists the sections of the generic server's options, in the order of the help text.
func (o *Options) upstream() []upstreamFlags {
	return []upstreamFlags{
		{"host cluster", o.CoreAPI.AddFlags},
		{"generic", o.ServerRun.AddUniversalFlags},
		{"etcd", o.Etcd.AddFlags},
		{"secure serving", o.SecureServing.AddFlags},
		{"authentication", o.Authn.AddFlags},
		{"authorization", o.Authz.AddFlags},
		{"admission", o.Admission.AddFlags},
		{"audit", o.Audit.AddFlags},
		{"features", o.Features.AddFlags},
		{"tracing", o.Traces.AddFlags},
		{"API enablement", o.APIEnablement.AddFlags},
	}
}
