// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"roadstead.dev/roadstead/test/fakes/podplayer"
)

// tokenPath is the directory of the ServiceAccount token in every container.
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount"

// box maps the file system of a container to directories of this machine.
type box struct {
	dir       string
	address   string
	apiServer string
	namespace string
	mounts    []mount
}

// mount maps a path of the container to a directory.
type mount struct{ path, folder string }

// fill creates the directories and the files in them.
func (b *box) fill(ctx context.Context, pod *podplayer.Pod) error {
	all, err := pod.Mounts(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		folder := cmp.Or(m.HostPath, filepath.Join(b.dir, "volumes", m.Volume))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		for name, content := range m.Files {
			file := filepath.Join(folder, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content, 0o600)); err != nil {
				return err
			}
		}
		b.mounts = append(b.mounts, mount{path: path.Clean(m.Path), folder: folder})
	}
	// The longest path is first because /etc/a/b may be another volume than /etc/a.
	slices.SortFunc(b.mounts, func(x, y mount) int { return len(y.path) - len(x.path) })
	b.namespace = pod.Namespace
	return b.writeKubeconfig()
}

// writeKubeconfig writes a kubeconfig for the pod's ServiceAccount if the pod has the token of the
// ServiceAccount.
func (b *box) writeKubeconfig() error {
	folder := b.inside(tokenPath)
	if folder == tokenPath {
		return nil
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["here"] = &clientcmdapi.Cluster{Server: b.apiServer, CertificateAuthority: filepath.Join(folder, "ca.crt")}
	config.AuthInfos["pod"] = &clientcmdapi.AuthInfo{TokenFile: filepath.Join(folder, "token")}
	config.Contexts["pod"] = &clientcmdapi.Context{Cluster: "here", AuthInfo: "pod", Namespace: b.namespace}
	config.CurrentContext = "pod"
	return clientcmd.WriteToFile(*config, b.kubeconfig())
}

func (b *box) kubeconfig() string { return filepath.Join(b.dir, "kubeconfig") }

// inside returns the path on this machine for a path of the container. A path outside of all
// volumes is not changed.
func (b *box) inside(name string) string {
	for _, m := range b.mounts {
		if rest, below := strings.CutPrefix(name, m.path); below && (rest == "" || rest[0] == '/') {
			return m.folder + rest
		}
	}
	return name
}

// text replaces the paths of all volumes in a text by their directories.
func (b *box) text(text string) string {
	for _, m := range b.mounts {
		text = strings.ReplaceAll(text, m.path+"/", m.folder+"/")
	}
	return text
}

// args replaces the paths in arguments ("/a/b", "--flag=/a/b") by their directories.
func (b *box) args(args []string) []string {
	out := make([]string, 0, len(args))
	for _, arg := range args {
		if flag, value, found := strings.Cut(arg, "="); found && strings.HasPrefix(flag, "-") {
			arg = flag + "=" + b.inside(value)
		} else {
			arg = b.inside(arg)
		}
		out = append(out, arg)
	}
	return out
}

// env returns the container's environment with variables for a cluster on this machine. Variables
// of the manifests take precedence.
func (b *box) env(own map[string]string) map[string]string {
	out := map[string]string{
		"ROADSTEAD_KUBECONFIG":           b.kubeconfig(),
		"ROADSTEAD_NAMESPACE":            b.namespace,
		"ROADSTEAD_BIND_ADDRESS":         b.address,
		"ROADSTEAD_METRICS_BIND_ADDRESS": b.address + ":8080",
		"ROADSTEAD_ALLOW_LOOPBACK":       "true",
	}
	for name, value := range own {
		out[name] = b.inside(value)
	}
	return out
}
