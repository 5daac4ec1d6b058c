// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// KwokNode is the name of the node that kwok simulates.
const KwokNode = "kwok-0"

// kwokAnnotation marks the nodes that kwok manages.
const kwokAnnotation = "kwok.x-k8s.io/node"

// createNode creates the Node object that a kubelet would create. kwok then maintains its status
// and lease.
func createNode(ctx context.Context, client kubernetes.Interface) error {
	size := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("64"),
		corev1.ResourceMemory:           resource.MustParse("256Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("1000"),
	}
	_, err := client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        KwokNode,
			Annotations: map[string]string{kwokAnnotation: "fake"},
			Labels: map[string]string{
				corev1.LabelHostname:   KwokNode,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: "amd64",
			},
		},
		Status: corev1.NodeStatus{Capacity: size, Allocatable: size},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// checkNode returns a check that succeeds when pods can be scheduled: the node is Ready, and the
// controller-manager has removed the taint that admission adds to new nodes.
func checkNode(client kubernetes.Interface) func(context.Context) error {
	return func(ctx context.Context) error {
		node, err := client.CoreV1().Nodes().Get(ctx, KwokNode, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(node.Spec.Taints) > 0 {
			return fmt.Errorf("node %s has the taint %s", KwokNode, node.Spec.Taints[0].Key)
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("node %s is not Ready", KwokNode)
	}
}

// checkServiceAccount returns a check that succeeds when pods can be created in namespace default.
// Admission rejects pods until the controller-manager has created the ServiceAccount.
func checkServiceAccount(client kubernetes.Interface) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err
	}
}

// checkNamespace returns a check that succeeds when kube-apiserver has created namespace default,
// which happens after kube-apiserver is ready.
func checkNamespace(client kubernetes.Interface) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return err
	}
}
