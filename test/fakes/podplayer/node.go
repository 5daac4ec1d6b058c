// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

const (
	// nodeIP is in the range of the pods' addresses because validation refuses Endpoints on
	// loopback.
	nodeIP = "10.245.255.254"
	// leaseSeconds and renewEvery are the defaults of a kubelet.
	leaseSeconds = 40
	renewEvery   = 10 * time.Second
	// schedulableLimit bounds the wait for the controller-manager to remove the taint of the new
	// node.
	schedulableLimit = 30 * time.Second
	// kwokAnnotation marks the nodes that kwok manages.
	kwokAnnotation = "kwok.x-k8s.io/node"
)

// makeNode creates the node object, its lease, and a Ready status. It reuses the object of an
// earlier player.
func (p *Player) makeNode(ctx context.Context) error {
	nodes := p.client.CoreV1().Nodes()
	_, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: p.opts.NodeName, Labels: map[string]string{
		corev1.LabelHostname: p.opts.NodeName, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
	}}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := p.writeLease(ctx); err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		node, err := nodes.Get(ctx, p.opts.NodeName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		setNodeStatus(node)
		_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

func setNodeStatus(node *corev1.Node) {
	size := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("64"),
		corev1.ResourceMemory:           resource.MustParse("256Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("1000"),
	}
	node.Status.Capacity, node.Status.Allocatable = size, size
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: nodeIP},
		{Type: corev1.NodeHostName, Address: node.Name}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = kubeletPort
	node.Status.NodeInfo.KubeletVersion, node.Status.NodeInfo.OperatingSystem, node.Status.NodeInfo.Architecture = "podplayer", "linux",
		"amd64"
	now := metav1.Now()
	node.Status.Conditions = nil
	for kind, is := range map[corev1.NodeConditionType]corev1.ConditionStatus{corev1.NodeReady: corev1.ConditionTrue,
		corev1.NodeMemoryPressure: corev1.ConditionFalse, corev1.NodeDiskPressure: corev1.ConditionFalse,
		corev1.NodePIDPressure: corev1.ConditionFalse} {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: kind, Status: is, Reason: "PodPlayer",
			Message: "played by a test", LastHeartbeatTime: now, LastTransitionTime: now})
	}
}

// renewLease renews the lease so that the node controller does not mark the node as not ready.
func (p *Player) renewLease() {
	for sleep(p.ctx, renewEvery) {
		if err := p.writeLease(p.ctx); err != nil && p.ctx.Err() == nil {
			p.opts.Logf("podplayer: renew the lease of node %s: %v", p.opts.NodeName, err)
		}
	}
}

func (p *Player) writeLease(ctx context.Context) error {
	leases := p.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	spec := coordinationv1.LeaseSpec{HolderIdentity: &p.opts.NodeName, LeaseDurationSeconds: ptr.To[int32](leaseSeconds),
		RenewTime: ptr.To(metav1.NowMicro())}
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		lease, err := leases.Get(ctx, p.opts.NodeName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			_, err = leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: p.opts.NodeName},
				Spec: spec}, metav1.CreateOptions{})
			return err
		}
		if err != nil {
			return err
		}
		lease.Spec = spec
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		return err
	})
}

// taintKwokNodes taints the nodes that kwok manages, so that pods without a toleration are
// scheduled to this node.
func (p *Player) taintKwokNodes(ctx context.Context) error {
	nodes := p.client.CoreV1().Nodes()
	list, err := nodes.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, n := range list.Items {
		if _, managed := n.Annotations[kwokAnnotation]; !managed {
			continue
		}
		if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			node, err := nodes.Get(ctx, n.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == KwokTaint }) {
				return nil
			}
			node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: KwokTaint, Effect: corev1.TaintEffectNoSchedule})
			_, err = nodes.Update(ctx, node, metav1.UpdateOptions{})
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// awaitSchedulable waits until the node has no taint. Admission adds the not-ready taint to every
// new node.
func (p *Player) awaitSchedulable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, schedulableLimit)
	defer cancel()
	for {
		node, err := p.client.CoreV1().Nodes().Get(ctx, p.opts.NodeName, metav1.GetOptions{})
		if err == nil && len(node.Spec.Taints) == 0 {
			return nil
		}
		if !sleep(ctx, 25*time.Millisecond) {
			if err == nil {
				err = fmt.Errorf("it has the taint %s: does a controller-manager run?", node.Spec.Taints[0].Key)
			}
			return fmt.Errorf("node %s takes no pods: %w", p.opts.NodeName, err)
		}
	}
}
