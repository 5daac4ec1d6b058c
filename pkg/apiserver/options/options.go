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
	// StoragePrefix is the prefix of all keys of Roadstead in etcd. A change of it would be a
	// silent loss of all data.
	StoragePrefix = "/registry/roadstead.dev"
	// EmbeddedEtcd is the value of --etcd-servers for an etcd inside this process.
	EmbeddedEtcd = "embedded"
	// controllerServiceAccount is the ServiceAccount of the controller, in the namespace of the
	// installation.
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

	// DataDir is the data directory of the embedded etcd.
	DataDir string
	// Dev allows a data directory that is not persistent.
	Dev bool
	// Namespace is the namespace of the installation, which also contains its Secrets, and Service
	// the name of the server's Service in it. Both are in the certificate.
	Namespace, Service string
	// ControllerUser is the name of the only user that creates Approvals; empty for the
	// ServiceAccount roadstead-controller of the installation.
	ControllerUser string
	// AllowSelfApproval allows users to approve what they requested.
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

// CompletedOptions are Options with all defaults set; only Complete creates them.
type CompletedOptions struct {
	*completedOptions
}

// Complete returns a copy with the defaults that depend on other options. It does not change the
// options.
func (o *Options) Complete() CompletedOptions {
	completed, authn, authz := *o, *o.Authn, *o.Authz
	// One kubeconfig is used for all three purposes unless they are set separately.
	authn.RemoteKubeConfigFile = cmp.Or(authn.RemoteKubeConfigFile, o.CoreAPI.CoreAPIKubeconfigPath)
	authz.RemoteKubeConfigFile = cmp.Or(authz.RemoteKubeConfigFile, o.CoreAPI.CoreAPIKubeconfigPath)
	completed.Authn, completed.Authz = &authn, &authz
	completed.ControllerUser = cmp.Or(o.ControllerUser, serviceaccount.MakeUsername(o.Namespace, controllerServiceAccount))
	return CompletedOptions{&completedOptions{completed}}
}

// Embedded reports whether etcd runs inside this process.
func (o *Options) Embedded() bool {
	return slices.Contains(o.Etcd.StorageConfig.Transport.ServerList, EmbeddedEtcd)
}

// ownCertificate reports whether the flags set the certificate, so that the server does not manage
// the Secret and the caBundle.
func (o *Options) ownCertificate() bool {
	return o.SecureServing.ServerCert.CertKey.CertFile != ""
}

// Validate returns all errors joined.
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
		errs = append(errs, fmt.Errorf("--etcd-servers: %q cannot be combined with URLs", EmbeddedEtcd))
	}
	if o.Embedded() && o.DataDir == "" {
		errs = append(errs, errors.New("--data-dir: must be set for the embedded etcd"))
	}
	return errors.Join(errs...)
}
