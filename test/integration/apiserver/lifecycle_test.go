// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/framework"
)

func held(d *v1alpha1.Domain) { d.Finalizers = []string{"roadstead.test/held"} }

// release removes the finalizers of a Domain.
func release(t *testing.T, u *framework.User, name string) {
	t.Helper()
	_, err := u.Domains().Patch(t.Context(), name, "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
}

func gone(t *testing.T, u *framework.User, name string) {
	t.Helper()
	framework.Await(t, "the end of Domain "+name, func() error {
		_, err := u.Domains().Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("still there"))
	})
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	admin := framework.ClientFor(t, env.Cluster.AdminConfig()).TakaroV1alpha1()
	_, err := admin.Domains("no-such-namespace").Create(t.Context(), newDomain("lost"), metav1.CreateOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.ErrorContains(t, err, `namespaces "no-such-namespace" not found`)

	u := editor(t)
	created(t, u, newDomain("held", held))
	require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), u.Namespace, metav1.DeleteOptions{}))
	framework.Await(t, "refusal in a terminating namespace", func() error {
		_, err := admin.Domains(u.Namespace).Create(t.Context(), newDomain("late"), metav1.CreateOptions{})
		if err == nil {
			err = admin.Domains(u.Namespace).Delete(t.Context(), "late", metav1.DeleteOptions{})
			return errors.Join(err, errors.New("created"))
		}
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		require.True(t, apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause), "%v", err)
		return nil
	})
	framework.Await(t, "deletion of the held Domain", func() error {
		domain, err := admin.Domains(u.Namespace).Get(t.Context(), "held", metav1.GetOptions{})
		if err == nil && domain.DeletionTimestamp == nil {
			err = errors.New("not being deleted yet")
		}
		return err
	})
	_, err = admin.Domains(u.Namespace).Patch(t.Context(), "held", "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`),
		metav1.PatchOptions{})
	require.NoError(t, err)
	framework.Await(t, "the end of the namespace", func() error {
		_, err := env.Admin.CoreV1().Namespaces().Get(t.Context(), u.Namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("still there"))
	})
}

func TestFinalizersHoldADeletedObject(t *testing.T) {
	t.Parallel()
	u := editor(t)
	created(t, u, newDomain("held", held))
	require.NoError(t, u.Domains().Delete(t.Context(), "held", metav1.DeleteOptions{}))
	domain := got(t, u, "held")
	require.NotNil(t, domain.DeletionTimestamp)
	domain.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
	domain, err := u.Domains().Update(t.Context(), domain, metav1.UpdateOptions{})
	require.NoError(t, err, "the policy may be changed while the object is being deleted")
	require.Equal(t, v1alpha1.DeletionPolicyRetain, domain.Spec.DeletionPolicy)
	domain.Finalizers = append(domain.Finalizers, "roadstead.test/late")
	_, err = u.Domains().Update(t.Context(), domain, metav1.UpdateOptions{})
	require.ErrorContains(t, err, "no new finalizers")
	release(t, u, "held")
	gone(t, u, "held")
}

func owner(apiVersion, kind string, of metav1.Object) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: of.GetName(), UID: of.GetUID(),
		BlockOwnerDeletion: ptr.To(true)}}
}

// TestC17GarbageCollection verifies that the garbage collector of the cluster handles owner
// references between the two servers in both directions (service-catalog #2686).
func TestC17GarbageCollection(t *testing.T) {
	t.Parallel()
	u := editor(t)
	maps := env.Admin.CoreV1().ConfigMaps(u.Namespace)
	newMap := func(t *testing.T, name string, owners []metav1.OwnerReference) *corev1.ConfigMap {
		made, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}},
			metav1.CreateOptions{})
		require.NoError(t, err)
		return made
	}
	mapGone := func(t *testing.T, name string) {
		framework.Await(t, "the end of ConfigMap "+name, func() error {
			_, err := maps.Get(t.Context(), name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return errors.Join(err, errors.New("still there"))
		})
	}
	t.Run("a core object that we own", func(t *testing.T) {
		domain := created(t, u, newDomain("owner"))
		newMap(t, "owned", owner("takaro.roadstead.dev/v1alpha1", "Domain", domain))
		require.NoError(t, u.Domains().Delete(t.Context(), "owner", metav1.DeleteOptions{}))
		mapGone(t, "owned")
	})
	t.Run("a Deployment that we own", func(t *testing.T) {
		domain := created(t, u, newDomain("deployer"))
		labels := map[string]string{"app": "owned"}
		deployments := env.Admin.AppsV1().Deployments(u.Namespace)
		_, err := deployments.Create(t.Context(), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "owned", OwnerReferences: owner("takaro.roadstead.dev/v1alpha1", "Domain", domain)},
			Spec: appsv1.DeploymentSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "one", Image: "roadstead.test/none:1"}}},
				},
			},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, u.Domains().Delete(t.Context(), "deployer", metav1.DeleteOptions{}))
		framework.Await(t, "the end of the Deployment", func() error {
			_, err := deployments.Get(t.Context(), "owned", metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return errors.Join(err, errors.New("still there"))
		})
	})
	t.Run("ours, owned by a core object", func(t *testing.T) {
		of := newMap(t, "core-owner", nil)
		env.Grant(t, u, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps/finalizers"}, Verbs: []string{"update"}})
		created(t, u, newDomain("owned", func(d *v1alpha1.Domain) { d.OwnerReferences = owner("v1", "ConfigMap", of) }))
		require.NoError(t, maps.Delete(t.Context(), "core-owner", metav1.DeleteOptions{}))
		gone(t, u, "owned")
	})
	t.Run("foreground", func(t *testing.T) {
		domain := created(t, u, newDomain("foreground"))
		of := owner("takaro.roadstead.dev/v1alpha1", "Domain", domain)
		dependent := newMap(t, "blocking", of)
		dependent.Finalizers = []string{"roadstead.test/held"}
		_, err := maps.Update(t.Context(), dependent, metav1.UpdateOptions{})
		require.NoError(t, err)
		require.NoError(t, u.Domains().Delete(t.Context(), "foreground",
			metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}))
		framework.Await(t, "deletion of the dependent", func() error {
			dependent, err = maps.Get(t.Context(), "blocking", metav1.GetOptions{})
			if err == nil && dependent.DeletionTimestamp == nil {
				err = errors.New("not being deleted yet")
			}
			return err
		})
		require.Equal(t, []string{metav1.FinalizerDeleteDependents}, got(t, u, "foreground").Finalizers, "the owner waits for its dependents")
		dependent.Finalizers = nil
		_, err = maps.Update(t.Context(), dependent, metav1.UpdateOptions{})
		require.NoError(t, err)
		gone(t, u, "foreground")
	})
	t.Run("orphan", func(t *testing.T) {
		domain := created(t, u, newDomain("orphaning"))
		newMap(t, "orphan", owner("takaro.roadstead.dev/v1alpha1", "Domain", domain))
		require.NoError(t, u.Domains().Delete(t.Context(), "orphaning",
			metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationOrphan)}))
		gone(t, u, "orphaning")
		left, err := maps.Get(t.Context(), "orphan", metav1.GetOptions{})
		require.NoError(t, err)
		require.Empty(t, left.OwnerReferences)
	})
}

func TestPoliciesOfTheHostHold(t *testing.T) {
	t.Parallel()
	u := editor(t)
	name := env.Name("no-test-names")
	policies := env.Admin.AdmissionregistrationV1()
	_, err := policies.ValidatingAdmissionPolicies().Create(t.Context(), &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": u.Namespace}},
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{"takaro.roadstead.dev"}, APIVersions: []string{"*"}, Resources: []string{"domains"}},
				}}},
			},
			Validations: []admissionv1.Validation{{Expression: `!object.spec.name.startsWith("test")`,
				Message: "names of tests are not allowed here"}},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = policies.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name,
			ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	framework.AwaitFor(t, 10*time.Second, "the policy", func() error {
		// spec.name is defaulted by the server: the policy must evaluate the prepared object.
		_, err := u.Domains().Create(t.Context(), newDomain("test-me"), dry)
		if err == nil {
			return errors.New("admitted")
		}
		require.ErrorContains(t, err, "names of tests are not allowed here")
		return nil
	})
	created(t, u, newDomain("other"))
}
