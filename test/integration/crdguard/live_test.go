// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

const serverAccount = "system:serviceaccount:roadstead-system:roadstead-apiserver"

// mayList grants the server the shipped right to list everything until the end of the test.
func mayList(t *testing.T) {
	t.Helper()
	folder := filepath.Join(deploy, "crdguard-live")
	kubectl(t, "", "apply", "-k", folder)
	asked := authorizationv1.ResourceAttributes{Verb: "list", Group: "any.example.com", Resource: "widgets"}
	env.AwaitAccess(t, serverAccount, asked)
	t.Cleanup(func() {
		// The context of the test is already canceled here.
		ctx := context.Background()
		_, _, err := env.Cluster.Kubectl(ctx, "delete", "-k", folder)
		assert.NoError(t, err)
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: serverAccount,
			ResourceAttributes: &asked}}
		assert.Eventually(t, func() bool {
			answer, err := env.Admin.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			return err == nil && !answer.Status.Allowed
		}, framework.Limit, framework.Limit/600, "the right is taken away again")
	})
}

func TestStoredObjectsAreLookedAtWithTheRight(t *testing.T) {
	guarded(t)
	d := create(t)
	d.fill(t, "a", "b", "c", "d", "e", "f")
	without := refused(t, d.yaml(narrowed), "apply", "-f", "-")
	assert.Contains(t, without, "has no permission to list "+d.name()+" (ClusterRole roadstead:crdguard-live grants it)")

	mayList(t)
	var with string
	framework.Await(t, "the server to list", func() error {
		_, problems, err := env.TryKubectl(t, d.yaml(narrowed), "apply", "-f", "-")
		if with = problems; err == nil {
			return errors.New("it is not refused")
		}
		if !strings.Contains(with, "6 of 6 checked objects") {
			return fmt.Errorf("it says: %s", with)
		}
		return nil
	})
	t.Log(with)
	assert.Contains(t, with, "Objects: default/a, default/b, default/c, default/d, default/e and 1 more.")
	assert.NotContains(t, with, "no permission to list")
}

// TestStoredObjects_NamedToReadersOnly changes a CRD as a user that can change CRDs but cannot list
// objects in all namespaces.
func TestStoredObjects_NamedToReadersOnly(t *testing.T) {
	guarded(t)
	mayList(t)
	d := create(t)
	d.fill(t, "confidential-a", "confidential-b")
	user := env.User(t, env.Namespace(t), "")
	changer := env.Name("crd-changer")
	kubectl(t, "", "create", "clusterrole", changer, "--resource=customresourcedefinitions.apiextensions.k8s.io", "--verb=get,patch,delete")
	kubectl(t, "", "create", "clusterrolebinding", changer, "--clusterrole="+changer, "--serviceaccount="+user.Namespace+":"+user.Account)
	env.AwaitAccess(t, user.Name(), authorizationv1.ResourceAttributes{Verb: "patch", Group: "apiextensions.k8s.io",
		Resource: "customresourcedefinitions"})
	impersonate := "--as=" + user.Name()
	change := []string{"patch", "crd", d.name(), "--type=json", "-p", removal, "--dry-run=server", impersonate}

	var printed string
	framework.Await(t, "the server to list", func() error {
		_, problems, err := env.TryKubectl(t, "", change...)
		if printed = problems; err == nil || !strings.Contains(printed, "2 of 2 checked objects") {
			return fmt.Errorf("it says: %s", printed)
		}
		return nil
	})
	assert.Contains(t, printed, "the objects are not named because user "+user.Name()+" may not list them")
	assert.NotContains(t, printed, "confidential")
	printed = refused(t, "", "delete", "crd", d.name(), impersonate)
	assert.Contains(t, printed, "2 "+d.name()+" exist; the objects are not named because user "+user.Name()+" may not list them")
	assert.NotContains(t, printed, "confidential")

	reader := env.Name("reader")
	kubectl(t, "", "create", "clusterrole", reader, "--resource="+d.name(), "--verb=list")
	kubectl(t, "", "create", "clusterrolebinding", reader, "--clusterrole="+reader, "--serviceaccount="+user.Namespace+":"+user.Account)
	framework.Await(t, "the objects to be named", func() error {
		_, problems, err := env.TryKubectl(t, "", change...)
		if err == nil || !strings.Contains(problems, "Objects: default/confidential-a, default/confidential-b.") {
			return fmt.Errorf("it says: %s", problems)
		}
		return nil
	})
}

func TestADeletionIsExactWithTheRight(t *testing.T) {
	guarded(t)
	mayList(t)
	d := create(t)
	d.fill(t, "a", "b")
	printed := awaitRefusal(t, d, "2 "+d.name()+" exist, the first one is default/a")
	t.Log(printed)
	kubectl(t, "", "delete", d.name(), "a")
	assert.Contains(t, refused(t, "", "delete", "crd", d.name()), "1 object exists of "+d.name()+": default/b")
	kubectl(t, "", "delete", d.name(), "b")
	assert.NotContains(t, kubectl(t, "", "delete", "crd", d.name()), "Warning", "at once, without waiting for the host to count")
}
