// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package hostile

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	typed "roadstead.dev/roadstead/pkg/generated/clientset/versioned/typed/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// neighbours are teams that use the Takaro of the installation.
type neighbours struct {
	takaro     *takaro.Server
	api        typed.TakaroV1alpha1Interface
	namespaces []string
}

// newNeighbours creates environments of a Domain and Users in namespaces, and waits until all are
// Ready.
func newNeighbours(t *testing.T, namespaces, each int) *neighbours {
	t.Helper()
	config := rest.CopyConfig(env.Cluster.AdminConfig())
	config.QPS = -1
	n := &neighbours{takaro: newTakaro(t), api: framework.ClientFor(t, config).TakaroV1alpha1()}
	apply(t, fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: takaro, namespace: roadstead-system, labels: "+
		"{roadstead.dev/takaro-endpoint: \"true\"}}\n"+
		"stringData: {url: %q, adminToken: %q}\n", n.takaro.URL(), n.takaro.AdminToken()))
	for range namespaces {
		namespace := env.Namespace(t)
		n.namespaces = append(n.namespaces, namespace)
		var manifests []string
		for i := range each {
			manifests = append(manifests, n.environment(namespace, fmt.Sprintf("env-%d", i)))
		}
		apply(t, manifests...)
	}
	framework.AwaitFor(t, 10*time.Minute, "all environments are Ready", func() error { return n.unready(t.Context(), namespaces*each) })
	return n
}

func (n *neighbours) environment(namespace, name string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: %[1]s, namespace: %[2]s}\nspec: "+
		"{takaroApiUrl: %[3]q}\n---\n",
		name, namespace, n.takaro.URL()) + user(namespace, name, name)
}

func user(namespace, name, domain string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: User\nmetadata: {name: %[1]s, namespace: %[2]s}\n"+
		"spec: {name: %[1]s, email: %[1]s@%[2]s.example.com, domainRef: {name: %[3]s}}\n", name, namespace, domain)
}

// unready returns an error that names the first objects that are not Ready, unless the number of
// objects of each kind is want and all of them are Ready.
func (n *neighbours) unready(ctx context.Context, want int) error {
	var not []string
	domains, users := 0, 0
	for _, namespace := range n.namespaces {
		allDomains, err := n.api.Domains(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		allUsers, err := n.api.Users(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		domains, users = domains+len(allDomains.Items), users+len(allUsers.Items)
		for _, one := range allDomains.Items {
			not = append(not, unreadyIn("Domain", one.ObjectMeta, one.Status.Conditions)...)
		}
		for _, one := range allUsers.Items {
			not = append(not, unreadyIn("User", one.ObjectMeta, one.Status.Conditions)...)
		}
	}
	if domains < want || users < want || len(not) > 0 {
		return fmt.Errorf("%d Domains, %d Users, %d not Ready: %v", domains, users, len(not), not[:min(len(not), 3)])
	}
	return nil
}

func unreadyIn(kind string, object metav1.ObjectMeta, conditions []metav1.Condition) []string {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	if ready != nil && ready.Status == metav1.ConditionTrue {
		return nil
	}
	return []string{fmt.Sprintf("%s %s/%s: %+v", kind, object.Namespace, object.Name, ready)}
}

// newcomer creates one more User and returns the times until it had a status and until it was
// Ready.
func (n *neighbours) newcomer(t *testing.T, number int) (status, ready time.Duration) {
	t.Helper()
	namespace := n.namespaces[number%len(n.namespaces)]
	begin := time.Now()
	name := fmt.Sprintf("late-%d", number)
	apply(t, user(namespace, name, "env-0"))
	framework.AwaitFor(t, time.Minute, name+" to be Ready", func() error {
		found, err := n.api.Users(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if status == 0 && found.Status.ObservedGeneration == found.Generation {
			status = time.Since(begin)
		}
		if !meta.IsStatusConditionTrue(found.Status.Conditions, v1alpha1.ConditionReady) {
			return fmt.Errorf("it is %+v", found.Status)
		}
		ready = time.Since(begin)
		return nil
	})
	return status, ready
}
