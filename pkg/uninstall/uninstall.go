// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// resources returns the resources that a version of an API group serves.
type resources interface {
	ServerResourcesForGroupVersion(groupVersion string) (*metav1.APIResourceList, error)
}

// uninstallation is one run.
type uninstallation struct {
	mode      mode
	namespace string
	timeout   time.Duration
	client    client.Client
	discovery resources
	// inventory reads the content of the server's store, as storeidentity.ReadInventory does.
	inventory func(context.Context, func(storeidentity.InventoryObject) error) (storeidentity.InventoryHeader, error)
	leases    coordinationv1.LeasesGetter
	out       io.Writer
	// poll is the time between two checks while waiting.
	poll time.Duration
	// anchors are recorded while objects are deleted.
	anchors anchors
}

// run surveys the installation, decides, processes the objects, and removes the installation.
func (u *uninstallation) run(ctx context.Context) error {
	if err := u.checkOwnPod(ctx); err != nil {
		return err
	}
	found, err := u.survey(ctx)
	if err != nil {
		return err
	}
	verdict := decide(u.mode, found)
	if verdict.refusal != "" {
		u.say("%s", u.describe(verdict, found))
		return &refusal{why: verdict.refusal}
	}
	if err := u.dealWithObjects(ctx, found, verdict); err != nil {
		return err
	}
	return u.remove(ctx, found, verdict)
}

// dealWithObjects processes the stored objects according to the mode.
func (u *uninstallation) dealWithObjects(ctx context.Context, found *survey, v verdict) error {
	switch {
	case u.mode == strip:
		return u.stripObjects(ctx, found)
	case v.act && u.mode == deleteAll:
		return u.endObjects(ctx, found.kinds, u.deleteObjects)
	case v.act && u.mode == orphan:
		return u.endObjects(ctx, found.kinds, u.orphanObjects)
	}
	if n := len(found.records()); n > 0 {
		u.say("%d records of the controllers (Approvals, CRDSnapshots, TakaroEndpoints) are stored; they stay where the store stays.", n)
	}
	return nil
}

// remove removes the installation in the required order.
func (u *uninstallation) remove(ctx context.Context, found *survey, v verdict) error {
	for _, step := range []func(context.Context) error{
		// First, because the webhook calls a server that is about to be removed.
		u.removeWebhook,
		func(ctx context.Context) error { return u.releaseSecrets(ctx, true) },
		func(ctx context.Context) error { return u.confirmEmpty(ctx, found, v.keep) },
		func(ctx context.Context) error { return u.writeMark(ctx, v.mark) },
		// Before the server, because namespaces cannot be deleted while an APIService has no
		// backend.
		func(ctx context.Context) error { return u.removeAPIServices(ctx, found.apiServices) },
		u.removeWorkloads,
		// A controller that was active until now may have added the finalizer to a Secret again.
		func(ctx context.Context) error { return u.releaseSecrets(ctx, false) },
		u.removeLeases,
		func(ctx context.Context) error { return u.removeMade(ctx, v.keep) },
		func(ctx context.Context) error { return u.removeRedis(ctx, v.keep) },
		// Last, because the volumes show a further run that the store was embedded.
		func(ctx context.Context) error { return u.removeVolumes(ctx, v.keep) },
		func(ctx context.Context) error { return u.removeMark(ctx, v.keep) },
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	u.say("Prepared: what remains of the installation can be deleted in any order.")
	return nil
}

// say prints one line. Write errors are ignored, because a closed output is no reason to stop.
func (u *uninstallation) say(format string, args ...any) {
	_, _ = fmt.Fprintf(u.out, format+"\n", args...)
}

// refusal is the error that nothing was changed, with the reason.
type refusal struct{ why string }

// Error implements error.
func (r *refusal) Error() string { return "refused, nothing was changed: " + r.why }
