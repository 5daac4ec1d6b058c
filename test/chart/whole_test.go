// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// foreign are the API groups of other projects, whose types are not among Roadstead's dependencies.
var foreign = []string{"cert-manager.io", "monitoring.coreos.com"}

// provided are the roles that exist in every cluster.
var provided = []string{"ClusterRole system:auth-delegator", "Role kube-system/extension-apiserver-authentication-reader"}

// strict refuses unknown and duplicate fields, as the API server does for kubectl.
var strict = func() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, apiregistration.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}()

// inspection collects the problems of the objects of an installation.
type inspection struct {
	namespace string
	all       objects
	typed     map[string]runtime.Object
	pods      map[string]pod
	problems  []string
}

// pod is a pod template.
type pod struct {
	template corev1.PodTemplateSpec
	selector *metav1.LabelSelector
	claims   []corev1.PersistentVolumeClaim
}

// flaws returns what the API server would refuse in the objects, and dangling references.
func flaws(namespace string, all objects) []string {
	i := &inspection{namespace: namespace, all: all, typed: map[string]runtime.Object{}, pods: map[string]pod{}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		i.decode(name)
	}
	for _, name := range slices.Sorted(maps.Keys(i.typed)) {
		i.object(name, i.typed[name])
	}
	return i.problems
}

func (i *inspection) wrong(object, format string, args ...any) {
	i.problems = append(i.problems, object+": "+fmt.Sprintf(format, args...))
}

func (i *inspection) decode(name string) {
	object := i.all[name]
	if slices.Contains(foreign, object.GroupVersionKind().Group) {
		return
	}
	content, err := object.MarshalJSON()
	if err != nil {
		i.wrong(name, "%v", err)
		return
	}
	typed, _, err := strict.Decode(content, nil, nil)
	if err != nil {
		i.wrong(name, "%v", err)
		return
	}
	i.typed[name] = typed
	switch workload := typed.(type) {
	case *appsv1.StatefulSet:
		i.pods[name] = pod{workload.Spec.Template, workload.Spec.Selector, workload.Spec.VolumeClaimTemplates}
	case *appsv1.Deployment:
		i.pods[name] = pod{workload.Spec.Template, workload.Spec.Selector, nil}
	case *batchv1.Job:
		i.pods[name] = pod{workload.Spec.Template, nil, nil}
	}
}

func (i *inspection) object(name string, object runtime.Object) {
	switch typed := object.(type) {
	case *appsv1.StatefulSet, *appsv1.Deployment, *batchv1.Job:
		i.checkPod(name, i.pods[name])
	case *rbacv1.ClusterRoleBinding:
		i.binding(name, "ClusterRole "+typed.RoleRef.Name, typed.Subjects)
	case *rbacv1.RoleBinding:
		role := typed.RoleRef.Kind + " " + typed.RoleRef.Name
		if typed.RoleRef.Kind == "Role" {
			role = "Role " + typed.Namespace + "/" + typed.RoleRef.Name
		}
		i.binding(name, role, typed.Subjects)
	case *corev1.Service:
		i.service(name, typed)
	case *policyv1.PodDisruptionBudget:
		i.selects(name, typed.Spec.Selector)
	case *networkingv1.NetworkPolicy:
		i.policy(name, typed)
	case *apiregistration.APIService:
		service := "Service " + typed.Spec.Service.Namespace + "/" + typed.Spec.Service.Name
		if i.all[service] == nil {
			i.wrong(name, "there is no %s", service)
		}
	}
}

func (i *inspection) binding(name, role string, subjects []rbacv1.Subject) {
	if i.all[role] == nil && !slices.Contains(provided, role) {
		i.wrong(name, "there is no %s", role)
	}
	for _, subject := range subjects {
		if account := subject.Kind + " " + subject.Namespace + "/" + subject.Name; i.all[account] == nil {
			i.wrong(name, "there is no %s", account)
		}
	}
}

// selected returns the only pod template that matches a selector.
func (i *inspection) selected(name string, selector *metav1.LabelSelector) (pod, bool) {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		i.wrong(name, "%v", err)
		return pod{}, false
	}
	var found []pod
	for _, one := range i.pods {
		if parsed.Matches(labels.Set(one.template.Labels)) {
			found = append(found, one)
		}
	}
	if len(found) != 1 {
		i.wrong(name, "the selector %s means %d workloads", parsed, len(found))
		return pod{}, false
	}
	return found[0], true
}

func (i *inspection) selects(name string, selector *metav1.LabelSelector) { i.selected(name, selector) }

func (i *inspection) service(name string, service *corev1.Service) {
	behind, ok := i.selected(name, &metav1.LabelSelector{MatchLabels: service.Spec.Selector})
	if !ok {
		return
	}
	for _, port := range service.Spec.Ports {
		if !behind.hasPort(port.TargetPort.StrVal) {
			i.wrong(name, "no container has the port %q", port.TargetPort.StrVal)
		}
	}
}

func (i *inspection) policy(name string, policy *networkingv1.NetworkPolicy) {
	meant, ok := i.selected(name, &policy.Spec.PodSelector)
	if !ok {
		return
	}
	for _, rule := range policy.Spec.Ingress {
		for _, port := range rule.Ports {
			if !meant.hasPort(port.Port.StrVal) {
				i.wrong(name, "no container has the port %q", port.Port.StrVal)
			}
		}
	}
}

func (p pod) hasPort(name string) bool {
	for _, container := range p.template.Spec.Containers {
		for _, port := range container.Ports {
			if port.Name == name {
				return true
			}
		}
	}
	return false
}

// checkPod checks a pod template itself, and that the pod security standard "restricted" allows it.
func (i *inspection) checkPod(name string, p pod) {
	spec := p.template.Spec
	if p.selector != nil && !labels.SelectorFromSet(p.selector.MatchLabels).Matches(labels.Set(p.template.Labels)) {
		i.wrong(name, "the selector does not mean its own pods")
	}
	if account := "ServiceAccount " + i.namespace + "/" + spec.ServiceAccountName; spec.ServiceAccountName != "" && i.all[account] == nil {
		i.wrong(name, "there is no %s", account)
	}
	if spec.ServiceAccountName == "" && (spec.AutomountServiceAccountToken == nil || *spec.AutomountServiceAccountToken) {
		i.wrong(name, "it gets the token of the ServiceAccount default")
	}
	security := spec.SecurityContext
	if security == nil || security.RunAsNonRoot == nil || !*security.RunAsNonRoot || security.SeccompProfile == nil ||
		security.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		i.wrong(name, "its pod is not restricted")
	}
	volumes := map[string]bool{}
	for _, volume := range spec.Volumes {
		if volumes[volume.Name] {
			i.wrong(name, "there are two volumes %q", volume.Name)
		}
		volumes[volume.Name] = true
		if config := volume.ConfigMap; config != nil && strings.HasPrefix(config.Name, "roadstead-") &&
			i.all["ConfigMap "+i.namespace+"/"+config.Name] == nil {
			i.wrong(name, "there is no ConfigMap %s", config.Name)
		}
	}
	for _, claim := range p.claims {
		volumes[claim.Name] = true
	}
	for _, container := range spec.Containers {
		i.container(name, p, container, volumes)
	}
}

func (i *inspection) container(name string, p pod, container corev1.Container, volumes map[string]bool) {
	security := container.SecurityContext
	if security == nil || security.AllowPrivilegeEscalation == nil || *security.AllowPrivilegeEscalation ||
		security.Capabilities == nil || !slices.Equal(security.Capabilities.Drop, []corev1.Capability{"ALL"}) ||
		security.ReadOnlyRootFilesystem == nil || !*security.ReadOnlyRootFilesystem {
		i.wrong(name, "its container is not restricted")
	}
	paths := map[string]bool{}
	for _, mount := range container.VolumeMounts {
		if !volumes[mount.Name] {
			i.wrong(name, "there is no volume %q", mount.Name)
		}
		if paths[mount.MountPath] {
			i.wrong(name, "two volumes are mounted at %s", mount.MountPath)
		}
		paths[mount.MountPath] = true
	}
	for _, probe := range []*corev1.Probe{container.ReadinessProbe, container.LivenessProbe} {
		if probe != nil && probe.HTTPGet != nil && !p.hasPort(probe.HTTPGet.Port.StrVal) {
			i.wrong(name, "a probe asks the port %q, which the container has not", probe.HTTPGet.Port.StrVal)
		}
	}
	if err := checkArgs(container); err != nil {
		i.wrong(name, "%v", err)
	}
}
