// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// removeWebhook removes the webhook of the CRD guard.
func (u *uninstallation) removeWebhook(ctx context.Context) error {
	found := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	err := u.client.Get(ctx, client.ObjectKey{Name: webhook}, found)
	if apierrors.IsNotFound(err) {
		u.say("ValidatingWebhookConfiguration %s: there is none.", webhook)
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking for ValidatingWebhookConfiguration %s: %w", webhook, err)
	}
	for _, one := range found.Webhooks {
		if !strings.HasSuffix(one.Name, "."+ownDomain) {
			u.say("ValidatingWebhookConfiguration %s has a webhook %s, which is not ours: it is left alone.", webhook, one.Name)
			return nil
		}
	}
	return u.removeFound(ctx, found)
}

// removeAPIServices removes the APIServices that refer to Roadstead's server, if they still do.
func (u *uninstallation) removeAPIServices(ctx context.Context, services []apiregistration.APIService) error {
	for i := range services {
		if err := u.removeFound(ctx, &services[i]); err != nil {
			return err
		}
	}
	if len(services) == 0 {
		u.say("APIServices: none leads to %s/%s.", u.namespace, apiServer)
	}
	return nil
}

func (u *uninstallation) removeLeases(ctx context.Context) error {
	for _, name := range leases {
		if err := u.removeNamed(ctx, &coordinationv1.Lease{}, name); err != nil {
			return err
		}
	}
	return nil
}

// removeMade removes the objects that the programs created themselves and that are not needed for a
// store.
func (u *uninstallation) removeMade(ctx context.Context, kept keeping) error {
	for _, made := range []struct {
		object    client.Object
		name, why string
	}{
		{metadataOf(secretKind), servingSecret, ""},
		{&corev1.ConfigMap{}, identityMap, kept.store},
		{metadataOf(secretKind), encryptionSecret, kept.store},
		{metadataOf(secretKind), passwordsSecret, kept.passwords},
	} {
		if made.why == "" {
			if err := u.removeNamed(ctx, made.object, made.name); err != nil {
				return err
			}
			continue
		}
		there, err := u.find(ctx, made.object, made.name)
		if err != nil {
			return err
		}
		if there {
			u.say("%s: kept, since %s.", u.called(made.object), made.why)
		}
	}
	return nil
}

// volumes returns the PersistentVolumeClaims of an embedded store.
func (u *uninstallation) volumes(ctx context.Context) ([]corev1.PersistentVolumeClaim, error) {
	list := &corev1.PersistentVolumeClaimList{}
	if err := u.client.List(ctx, list, client.InNamespace(u.namespace), client.MatchingLabels{nameLabel: apiServer}); err != nil {
		return nil, fmt.Errorf("listing the PersistentVolumeClaims in %s: %w", u.namespace, err)
	}
	return list.Items, nil
}

func (u *uninstallation) removeVolumes(ctx context.Context, kept keeping) error {
	claims, err := u.volumes(ctx)
	if err != nil {
		return err
	}
	for i := range claims {
		if kept.volumes != "" {
			u.say("%s: kept, since %s.", u.called(&claims[i]), kept.volumes)
			continue
		}
		if err := u.removeFound(ctx, &claims[i]); err != nil {
			return err
		}
	}
	return nil
}

// find reads the metadata of an object of the installation's namespace and reports whether it
// exists.
func (u *uninstallation) find(ctx context.Context, into client.Object, name string) (bool, error) {
	into.SetNamespace(u.namespace)
	into.SetName(name)
	err := u.client.Get(ctx, client.ObjectKeyFromObject(into), into)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("looking for %s: %w", u.called(into), err)
	}
	return err == nil, nil
}

// removeNamed deletes an object of the installation's namespace. It prints a message only if the
// object existed.
func (u *uninstallation) removeNamed(ctx context.Context, object client.Object, name string) error {
	object.SetNamespace(u.namespace)
	object.SetName(name)
	return u.removeFound(ctx, object)
}

// removeFound deletes an object that was found to be Roadstead's, if it is still the same one.
func (u *uninstallation) removeFound(ctx context.Context, object client.Object) error {
	called := u.called(object)
	var options []client.DeleteOption
	if uid := object.GetUID(); uid != types.UID("") {
		options = append(options, client.Preconditions{UID: &uid})
	}
	err := u.client.Delete(ctx, object, options...)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("deleting %s: %w", called, err)
	}
	u.say("%s: deleted.", called)
	return nil
}

// called returns the name of an object for messages.
func (u *uninstallation) called(object client.Object) string {
	name := object.GetName()
	if object.GetNamespace() != "" {
		name = object.GetNamespace() + "/" + name
	}
	kind, err := apiutil.GVKForObject(object, u.client.Scheme())
	if err != nil {
		return name
	}
	return kind.Kind + " " + name
}
