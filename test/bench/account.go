// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"roadstead.dev/roadstead/test/peer"
)

// mainNamespace contains the ServiceAccounts, and the objects that most measures read.
const mainNamespace = "bench"

const (
	clientAccount  = "client"
	webhookAccount = "webhook"
)

// tokenLife is longer than any run.
const tokenLife = 12 * time.Hour

// allGroups returns the API groups of both ways.
func allGroups() []string {
	return []string{peer.Domain.Group, peer.CRDSchema.Group, peer.Domain.PeerGroup(), peer.CRDSchema.PeerGroup()}
}

// makeAccount creates the ServiceAccount without special permissions whose requests are measured,
// and the clients that use it.
func (b *bed) makeAccount(ctx context.Context) error {
	config, err := b.account(ctx, clientAccount, []string{"get", "list", "watch", "create", "update", "patch",
		"deletecollection"}, allGroups())
	if err != nil {
		return err
	}
	if b.through, err = rest.HTTPClientFor(config); err != nil {
		return err
	}
	direct := rest.CopyConfig(config)
	pastHost(direct, b.roadstead.APIServerAddr())
	if b.past, err = rest.HTTPClientFor(direct); err != nil {
		return err
	}
	return b.awaitWritable(ctx)
}

// account creates a ServiceAccount with verbs on all resources of API groups, and returns a client
// configuration for it.
func (b *bed) account(ctx context.Context, name string, verbs, groups []string) (*rest.Config, error) {
	path, err := b.accountKubeconfig(ctx, name, verbs, groups)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	// Compression costs the same for both ways and would hide the differences. Without an
	// Accept-Encoding header, the aggregation layer would request gzip itself and decompress the
	// response.
	config.DisableCompression = true
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return uncompressed{next} })
	return config, nil
}

// uncompressed is a RoundTripper that requests uncompressed responses.
type uncompressed struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (u uncompressed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept-Encoding", "identity")
	return u.next.RoundTrip(r)
}

func (b *bed) accountKubeconfig(ctx context.Context, name string, verbs, groups []string) (string, error) {
	if err := b.namespace(ctx, mainNamespace); err != nil {
		return "", err
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := b.admin.CoreV1().ServiceAccounts(mainNamespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	full := metav1.ObjectMeta{Name: "bench-" + name}
	role := &rbacv1.ClusterRole{ObjectMeta: full, Rules: []rbacv1.PolicyRule{{APIGroups: groups, Resources: []string{"*"}, Verbs: verbs}}}
	if _, err := b.admin.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: full, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: full.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: mainNamespace, Name: name}},
	}
	if _, err := b.admin.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	path := filepath.Join(b.cluster.Dir(), name+".kubeconfig")
	return path, b.cluster.WriteServiceAccountKubeconfig(ctx, path, mainNamespace, name, tokenLife)
}

// namespace creates a namespace if it does not exist.
func (b *bed) namespace(ctx context.Context, name string) error {
	_, err := b.admin.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return nil
	}
	_, err = b.admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

// awaitWritable waits until both ways accept a Domain of the ServiceAccount: the account's
// permissions are known, and all informers of both admissions are synced.
func (b *bed) awaitWritable(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		var errs []error
		for _, w := range []way{oursJSON, crdJSON, oursDirect} {
			body, err := w.encode(domain("probe", 0))
			if err != nil {
				return false, err
			}
			errs = append(errs, b.create(ctx, w, w.collection(peer.Domain, mainNamespace)+"?dryRun=All", body))
		}
		last = errors.Join(errs...)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("both ways to take writes: %w", errors.Join(err, last))
	}
	return nil
}
