// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"

	apiserver "roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/controllers/manager"
)

// checkArgs parses the arguments of Roadstead's programs with their flag sets. An unknown flag
// would make a program exit at its start.
func checkArgs(container corev1.Container) error {
	switch container.Name {
	case "apiserver":
		return checkServerArgs(container)
	case "controller":
		options, flags := manager.NewOptions(), pflag.NewFlagSet(manager.Name, pflag.ContinueOnError)
		options.AddFlags(flags)
		if err := flags.Parse(container.Args); err != nil {
			return err
		}
		return options.Validate()
	}
	return nil
}

func checkServerArgs(container corev1.Container) error {
	options, flags := apiserver.New(), pflag.NewFlagSet("roadstead-apiserver", pflag.ContinueOnError)
	sections := options.Flags()
	for _, section := range sections.FlagSets {
		flags.AddFlagSet(section)
	}
	if err := flags.Parse(container.Args); err != nil {
		return err
	}
	mounted := map[string]bool{}
	for _, mount := range container.VolumeMounts {
		mounted[mount.MountPath] = true
	}
	var errs []error
	transport, serving := options.Etcd.StorageConfig.Transport, options.SecureServing.ServerCert.CertKey
	for _, file := range []string{
		transport.CertFile, transport.KeyFile, transport.TrustedCAFile, serving.CertFile, serving.KeyFile, options.Audit.PolicyFile,
	} {
		folder := file[:strings.LastIndex(file, "/")+1]
		if file != "" && !mounted[strings.TrimSuffix(folder, "/")] {
			errs = append(errs, fmt.Errorf("nothing is mounted where %s should be", file))
		}
	}
	if options.Embedded() && !strings.HasPrefix(options.DataDir, "/data/") || !options.Embedded() && mounted["/data"] {
		errs = append(errs, errors.New("the data of the embedded etcd are not in its volume"))
	}
	for _, server := range transport.ServerList {
		if server == "$(ETCD_SERVERS)" && (len(container.Env) == 0 || container.Env[0].Name != "ETCD_SERVERS") {
			errs = append(errs, errors.New("ETCD_SERVERS is not set"))
		}
	}
	return errors.Join(errs...)
}
