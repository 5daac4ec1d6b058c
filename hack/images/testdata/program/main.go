// SPDX-License-Identifier: Apache-2.0

// Command program replaces the real programs in tests of their images: it is stamped with the
// version in the same way, and compiles in seconds.
package main

import (
	"crypto/x509"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"k8s.io/component-base/version"
)

func main() {
	stamp := pflag.Bool("version", false, "Print the version.")
	user := pflag.Bool("user", false, "Print user and group.")
	trusted := pflag.Bool("trusted", false, "Tell whether the system's CAs are those of standard input, in PEM.")
	create := pflag.String("create", "", "Create a file.")
	pflag.Parse()
	switch {
	case *stamp:
		fmt.Println(version.Get().GitVersion)
	case *user:
		fmt.Println(os.Getuid(), os.Getgid())
	case *create != "":
		fmt.Println(os.WriteFile(*create, nil, 0o600))
	case *trusted:
		fmt.Println(equalRoots())
	}
}

func equalRoots() (bool, error) {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return false, err
	}
	want := x509.NewCertPool()
	want.AppendCertsFromPEM(text)
	got, err := x509.SystemCertPool()
	return err == nil && got.Equal(want), err
}
