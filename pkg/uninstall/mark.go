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

// mark is what a run notes before it takes the API away: after that nobody can be asked what is stored. Without it a run
// that was interrupted could not be told from an installation whose APIServices somebody deleted, with all objects stored.
type mark struct {
	stored knowledge
	place  storePlace
	// orphaned: what objects stood for was left.
	orphaned bool
	// workloads are the UIDs of the server's workloads then.
	workloads []string
}

// valid tells whether a mark is there and of this installation: the server's workloads of a later one are others.
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

// readMark gives that of an earlier run, nil without one.
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

// writeMark notes what this run found.
func (u *uninstallation) writeMark(ctx context.Context, m mark) error {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: u.namespace, Name: markName, Labels: map[string]string{nameLabel: controller},
	}, Data: m.data()}
	err := u.client.Create(ctx, made)
	if apierrors.IsAlreadyExists(err) {
		made.ResourceVersion = "" // whoever wrote it was a run like this one
		err = u.client.Update(ctx, made)
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %s: %w", u.markKey(), err)
	}
	return nil
}

// removeMark removes it when nothing is left that it tells of. While a store is kept it says that this was wanted.
func (u *uninstallation) removeMark(ctx context.Context, kept keeping) error {
	if kept.volumes != "" {
		u.say("ConfigMap %s stays: by it a further run knows that the store was kept.", u.markKey())
		return nil
	}
	return u.removeNamed(ctx, &corev1.ConfigMap{}, markName)
}
