// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Keys of the ConfigMap of a mark.
const (
	markStored    = "stored"
	markPlace     = "store"
	markOrphaned  = "orphaned"
	markWorkloads = "workloads"
)

// mark is what a run records before it removes the API: after that, the stored objects cannot be
// listed. Without the mark, an interrupted run could not be distinguished from an installation
// whose APIServices were deleted, with all objects stored.
type mark struct {
	stored knowledge
	place  storePlace
	// orphaned is set if outside objects were kept.
	orphaned bool
	// workloads contains the UIDs of the server's workloads at that time.
	workloads []string
}

// valid reports whether a mark exists and belongs to this installation: the server of a later
// installation has different workloads.
func (m *mark) valid(s *survey) bool {
	return m != nil && !slices.ContainsFunc(s.workloads, func(uid string) bool { return !slices.Contains(m.workloads, uid) })
}

func (m mark) data() map[string]string {
	return map[string]string{
		markStored: string(m.stored), markPlace: string(m.place), markOrphaned: strconv.FormatBool(m.orphaned),
		markWorkloads: strings.Join(m.workloads, " "),
	}
}

func (u *uninstallation) markKey() client.ObjectKey {
	return client.ObjectKey{Namespace: u.namespace, Name: markName}
}

// readMark returns the mark of an earlier run, or nil if there is none.
func (u *uninstallation) readMark(ctx context.Context) (*mark, error) {
	source := &corev1.ConfigMap{}
	err := u.client.Get(ctx, u.markKey(), source)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for ConfigMap %s: %w", u.markKey(), err)
	}
	return &mark{
		stored: knowledge(source.Data[markStored]), place: storePlace(source.Data[markPlace]),
		orphaned: source.Data[markOrphaned] == "true", workloads: strings.Fields(source.Data[markWorkloads]),
	}, nil
}

// writeMark stores the result of this run.
func (u *uninstallation) writeMark(ctx context.Context, m mark) error {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: u.namespace, Name: markName, Labels: map[string]string{nameLabel: controller},
	}, Data: m.data()}
	err := u.client.Create(ctx, made)
	if apierrors.IsAlreadyExists(err) {
		made.ResourceVersion = "" // it was written by another run of this command
		err = u.client.Update(ctx, made)
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", u.markKey(), err)
	}
	return nil
}

// removeMark removes the mark when everything that it describes was removed. While a store is kept,
// the mark shows that this was intended.
func (u *uninstallation) removeMark(ctx context.Context, kept keeping) error {
	if kept.volumes != "" {
		u.say("ConfigMap %s stays: by it a further run knows that the store was kept.", u.markKey())
		return nil
	}
	return u.removeNamed(ctx, &corev1.ConfigMap{}, markName)
}
