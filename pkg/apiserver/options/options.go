// SPDX-License-Identifier: Apache-2.0

package options

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	genericoptions "k8s.io/apiserver/pkg/server/options"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/cli"
	"roadstead.dev/roadstead/pkg/util/names"
)

const (
	// StoragePrefix is where everything of ours lies in etcd. A change of it would be silent loss of all data.
	StoragePrefix = "/registry/roadstead.dev"
	// EmbeddedEtcd is the word for --etcd-servers that runs etcd inside this process.
	EmbeddedEtcd = "embedded"
	// controllerServiceAccount is what the controller runs as, in the namespace of the installation.
	controllerServiceAccount = names.Controller
)

// Options are the flags of the server.
type Options struct {
	Logging       *cli.Logging
	ServerRun     *genericoptions.ServerRunOptions
	Etcd          *genericoptions.EtcdOptions
	SecureServing *genericoptions.SecureServingOptionsWithLoopback
	Authn         *genericoptions.DelegatingAuthenticationOptions
	Authz         *genericoptions.DelegatingAuthorizationOptions
	Audit         *genericoptions.AuditOptions
	Features      *genericoptions.FeatureOptions
	CoreAPI       *genericoptions.CoreAPIOptions
	Admission     *genericoptions.AdmissionOptions
	Traces        *genericoptions.TracingOptions
	APIEnablement *genericoptions.APIEnablementOptions
	Authorization *AuthorizationOptions
	CRDGuard      *CRDGuardOptions

	// DataDir is where the embedded etcd keeps its data.
	DataDir string
	// Dev allows data that do not last.
	Dev bool
	// Namespace is the installation's namespace, and Service the name of our Service in it: both are in the
	// certificate and the first also says where our Secrets are.
	Namespace, Service string
	// ControllerUser is the name of the only user that makes Approvals; empty for the ServiceAccount roadstead-controller of
	// the installation.
	ControllerUser string
	// AllowSelfApproval lets people approve what they asked for.
	AllowSelfApproval bool
}

// New returns the defaults.
func New() *Options {
	return &Options{
		Logging:       cli.NewLogging(),
		ServerRun:     newServerRun(),
		Etcd:          newEtcd(),
		SecureServing: newSecureServing(),
		Authn:         genericoptions.NewDelegatingAuthenticationOptions(),
		Authz:         genericoptions.NewDelegatingAuthorizationOptions(),
		Audit:         newAudit(),
		Features:      genericoptions.NewFeatureOptions(),
		CoreAPI:       genericoptions.NewCoreAPIOptions(),
		Admission:     newAdmission(),
		Traces:        genericoptions.NewTracingOptions(),
		APIEnablement: genericoptions.NewAPIEnablementOptions(),
		Authorization: newAuthorization(),
		CRDGuard:      newCRDGuard(),
		DataDir:       "roadstead-data",
		Namespace:     cli.InstallationNamespace(),
		Service:       apiserver.Name,
	}
}

type completedOptions struct {
	Options
}

// CompletedOptions are Options with every default filled; only Complete creates them.
type CompletedOptions struct {
	*completedOptions
}

// Complete returns a copy with what follows from other options. It does not change the options.
func (o *Options) Complete() CompletedOptions {
	completed, authn, authz := *o, *o.Authn, *o.Authz
	// One kubeconfig serves all three uses unless they are set apart.
	authn.RemoteKubeConfigFile = cmp.Or(authn.RemoteKubeConfigFile, o.CoreAPI.CoreAPIKubeconfigPath)
	authz.RemoteKubeConfigFile = cmp.Or(authz.RemoteKubeConfigFile, o.CoreAPI.CoreAPIKubeconfigPath)
	completed.Authn, completed.Authz = &authn, &authz
	completed.ControllerUser = cmp.Or(o.ControllerUser, serviceaccount.MakeUsername(o.Namespace, controllerServiceAccount))
	return CompletedOptions{&completedOptions{completed}}
}

// Embedded tells whether etcd runs inside this process.
func (o *Options) Embedded() bool {
	return slices.Contains(o.Etcd.StorageConfig.Transport.ServerList, EmbeddedEtcd)
}

// ownCertificate tells whether the certificate comes from flags, so that the Secret and the caBundle are not our task.
func (o *Options) ownCertificate() bool {
	return o.SecureServing.ServerCert.CertKey.CertFile != ""
}

// Validate returns every error at once.
func (o CompletedOptions) Validate() error {
	var errs []error
	for _, more := range [][]error{
		o.Logging.Validate(),
		o.ServerRun.Validate(),
		o.ServerRun.ComponentGlobalsRegistry.Validate(),
		o.Etcd.Validate(),
		o.SecureServing.Validate(),
		o.Authn.Validate(),
		o.Authz.Validate(),
		o.Authorization.Validate(),
		o.CRDGuard.Validate(),
		o.Audit.Validate(),
		o.Features.Validate(),
		o.Admission.Validate(),
		o.Traces.Validate(),
		o.APIEnablement.Validate(apiserver.Scheme),
	} {
		errs = append(errs, more...)
	}
	if servers := o.Etcd.StorageConfig.Transport.ServerList; o.Embedded() && len(servers) > 1 {
		errs = append(errs, fmt.Errorf("--etcd-servers: %q stands alone, or URLs do", EmbeddedEtcd))
	}
	if o.Embedded() && o.DataDir == "" {
		errs = append(errs, errors.New("--data-dir: the embedded etcd needs a folder"))
	}
	return errors.Join(errs...)
}
