// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/cli"
)

// podsLimit exceeds the termination grace period of both programs.
const podsLimit = 150 * time.Second

// workload is a workload that runs a program.
type workload struct {
	object client.Object
	kind   string
	pod    *corev1.PodSpec
}

// theWorkloads returns new objects for every workload that an installation may have.
func theWorkloads() (ofController, ofServer []workload) {
	deployment, server, set := &appsv1.Deployment{}, &appsv1.Deployment{}, &appsv1.StatefulSet{}
	deployment.Name, server.Name, set.Name = controller, apiServer, apiServer
	return []workload{{deployment, "Deployment", &deployment.Spec.Template.Spec}},
		[]workload{{server, "Deployment", &server.Spec.Template.Spec}, {set, "StatefulSet", &set.Spec.Template.Spec}}
}

// get reads a workload and reports whether it exists and is Roadstead's.
func (u *uninstallation) get(ctx context.Context, w workload) (bool, error) {
	name := w.object.GetName()
	err := u.client.Get(ctx, client.ObjectKey{Namespace: u.namespace, Name: name}, w.object)
	if err != nil {
		if client.IgnoreNotFound(err) == nil {
			return false, nil
		}
		return false, fmt.Errorf("looking for %s %s/%s: %w", w.kind, u.namespace, name, err)
	}
	if w.object.GetLabels()[nameLabel] != name {
		u.say("%s %s/%s has not the label %s=%s: it is not ours and is left alone.", w.kind, u.namespace, name, nameLabel, name)
		return false, nil
	}
	return true, nil
}

func (u *uninstallation) lookForWorkloads(ctx context.Context, s *survey) error {
	_, ofServer := theWorkloads()
	for _, w := range ofServer {
		there, err := u.get(ctx, w)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		s.workloads = append(s.workloads, string(w.object.GetUID()))
		if s.workload != external { // while both exist, nothing that either of them needs is removed
			s.workload = placeOf(w.pod)
		}
	}
	return nil
}

// placeOf returns where the server stores its objects, according to its flags.
func placeOf(pod *corev1.PodSpec) storePlace {
	const flag = "etcd-servers"
	value := ""
	for _, container := range pod.Containers {
		for _, variable := range container.Env {
			if variable.Name == cli.EnvName(flag) {
				value = variable.Value
				if variable.ValueFrom != nil {
					value = "in an object"
				}
			}
		}
		all := slices.Concat(container.Command, container.Args)
		for i, arg := range all {
			if after, ok := strings.CutPrefix(arg, "--"+flag+"="); ok {
				value = after
			} else if arg == "--"+flag && i+1 < len(all) {
				value = all[i+1]
			}
		}
	}
	if value == "" || value == "embedded" {
		return embedded
	}
	return external
}

// removeWorkloads deletes the workloads of the programs and returns when their pods have ended:
// until then the programs might create objects again that are removed next.
func (u *uninstallation) removeWorkloads(ctx context.Context) error {
	ofController, ofServer := theWorkloads()
	for _, w := range slices.Concat(ofController, ofServer) {
		there, err := u.get(ctx, w)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		uid := w.object.GetUID()
		err = u.client.Delete(ctx, w.object, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting %s %s/%s: %w", w.kind, u.namespace, w.object.GetName(), err)
		}
		u.say("%s %s/%s: deleted.", w.kind, u.namespace, w.object.GetName())
	}
	return u.awaitNoPods(ctx, podsLimit, apiServer, controller)
}

// pods returns the names of the pods of the programs that have not ended.
func (u *uninstallation) pods(ctx context.Context, programs ...string) ([]string, error) {
	list := &corev1.PodList{}
	if err := u.client.List(ctx, list, client.InNamespace(u.namespace)); err != nil {
		return nil, fmt.Errorf("listing the pods in %s: %w", u.namespace, err)
	}
	var names []string
	for _, pod := range list.Items {
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if slices.Contains(programs, pod.Labels[nameLabel]) && !ended {
			names = append(names, pod.Name)
		}
	}
	return names, nil
}

func (u *uninstallation) awaitNoPods(ctx context.Context, limit time.Duration, programs ...string) error {
	var left []string
	told := false
	err := wait.PollUntilContextTimeout(ctx, u.poll, limit, true, func(ctx context.Context) (bool, error) {
		var err error
		if left, err = u.pods(ctx, programs...); err != nil || len(left) == 0 {
			return err == nil, err
		}
		if !told {
			u.say("Waiting for pods to end: %s.", strings.Join(left, ", "))
			told = true
		}
		return false, nil
	})
	if err == nil || ctx.Err() != nil || !wait.Interrupted(err) {
		return err
	}
	return fmt.Errorf("pods in %s did not end within %s: %s. If their node is lost, end them with kubectl delete pod -n %s --force "+
		"--grace-period=0",
		u.namespace, limit, strings.Join(left, ", "), u.namespace)
}

// checkOwnPod returns an error if the command runs in a pod that it would delete before it is
// finished.
func (u *uninstallation) checkOwnPod(ctx context.Context) error {
	host, err := os.Hostname()
	if err != nil || os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		return nil // not in a pod
	}
	pods, err := u.pods(ctx, apiServer, controller)
	if err != nil {
		return err
	}
	if slices.Contains(pods, host) {
		return &refusal{why: fmt.Sprintf("this is pod %s, which would be removed, and it has not the rights. "+
			"Run it as a Job (kubectl apply -k artifacts/deploy/uninstall) or from outside of the cluster (--kubeconfig)", host)}
	}
	return nil
}
