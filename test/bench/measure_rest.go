// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/test/framework/install"
	"roadstead.dev/roadstead/test/peer"
)

const (
	// restCPU is the part of a core, in percent, that the idle controller may use.
	restCPU = 2
	// quietTime is how long no writes must occur before the controller counts as idle.
	quietTime = 5 * time.Second
)

// measureRest starts the controller on the Domains and Users of mainNamespace. The Domains wait
// because no endpoint is configured for them, and the Users wait for the Domains: each gets a
// status with that reason. The measured time begins when the controller is idle.
func measureRest(ctx context.Context, b *bed) ([]Row, error) {
	// The objects of other measures would only take additional time.
	for _, namespace := range b.emptied() {
		for _, kind := range []peer.Kind{peer.User, peer.Domain} {
			if err := b.clear(ctx, oursJSON, oursJSON.collection(kind, namespace)); err != nil {
				return nil, err
			}
		}
	}
	begin := time.Now()
	controller, err := b.roadstead.AddController(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.awaitSettled(ctx); err != nil {
		return nil, err
	}
	settled := time.Since(begin)
	if err := b.awaitQuiet(ctx); err != nil {
		return nil, err
	}
	return b.watchRest(ctx, controller, settled)
}

// emptied returns the namespaces whose objects are no longer needed.
func (b *bed) emptied() []string {
	names := []string{"bench-warm"}
	for _, size := range objectSizes {
		names = append(names, sizedNamespace(size))
	}
	for place := range b.plan.Places {
		names = append(names, placeName(place))
	}
	return names
}

// awaitSettled waits until the controller has updated every User. It checks rarely, and from the
// watch cache, because each check lists all Users.
func (b *bed) awaitSettled(ctx context.Context) error {
	client, err := versioned.NewForConfig(b.cluster.AdminConfig())
	if err != nil {
		return err
	}
	looked := 0
	err = wait.PollUntilContextTimeout(ctx, 2*time.Second, b.plan.Settling, false, func(ctx context.Context) (bool, error) {
		users, err := client.TakaroV1alpha1().Users(mainNamespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return false, err
		}
		looked = 0
		for i := range users.Items {
			if users.Items[i].Status.Phase != v1alpha1.UserReady { // as measureFill left it
				looked++
			}
		}
		return looked == b.plan.Objects, nil
	})
	if err != nil {
		return fmt.Errorf("the controller has looked at %d of %d Users: %w", looked, b.plan.Objects, err)
	}
	return nil
}

// awaitQuiet waits until nothing was written for quietTime.
func (b *bed) awaitQuiet(ctx context.Context) error {
	last, since := "", time.Now()
	return wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, b.plan.Settling, true, func(ctx context.Context) (bool, error) {
		var now string
		for _, kind := range []peer.Kind{peer.User, peer.Domain} {
			version, err := b.newest(ctx, kind)
			if err != nil {
				return false, err
			}
			now += version + " "
		}
		if now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > quietTime, nil
	})
}

// newest returns the resourceVersion of the collection, which increases with each write to the
// store.
func (b *bed) newest(ctx context.Context, kind peer.Kind) (string, error) {
	body, err := fetch(ctx, b.through, b.url(oursJSON, oursJSON.collection(kind, mainNamespace)+"?limit=1"))
	if err != nil {
		return "", err
	}
	var list metav1.PartialObjectMetadataList
	err = json.Unmarshal(body, &list)
	return list.ResourceVersion, err
}

// watchRest measures the controller for a window.
func (b *bed) watchRest(ctx context.Context, controller *install.Program, settled time.Duration) ([]Row, error) {
	serverBefore, err := cpuTime(b.roadstead.APIServer().PID())
	if err != nil {
		return nil, err
	}
	before, err := cpuTime(controller.PID())
	if err != nil {
		return nil, err
	}
	from := time.Now()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(b.plan.Resting): // the measured window
	}
	window := time.Since(from)
	after, err := cpuTime(controller.PID())
	if err != nil {
		return nil, err
	}
	serverAfter, err := cpuTime(b.roadstead.APIServer().PID())
	if err != nil {
		return nil, err
	}
	size, err := residentBytes(controller.PID())
	if err != nil {
		return nil, err
	}
	written, err := writes(b.cluster.AuditLog(), from, from.Add(window))
	if err != nil {
		return nil, err
	}
	variant := fmt.Sprintf("%d Users that wait for %d Domains, for %.0f s", b.plan.Objects, domainCount, window.Seconds())
	percent := func(used time.Duration) float64 { return 100 * used.Seconds() / window.Seconds() }
	one := func(value float64) *Spread { return spread([]float64{value}) }
	return []Row{
		{Measure: "controller idle, writes", Variant: variant, Unit: "requests", Ours: one(float64(written)), Goal: atMost(ofOurs, 0)},
		{Measure: "controller idle, CPU", Variant: variant, Unit: "% of a core", Ours: one(percent(after - before)),
			Goal: atMost(ofOurs, restCPU)},
		{Measure: "controller idle, memory", Variant: variant, Unit: "MiB resident", Ours: one(size / (1 << 20)),
			Note: fmt.Sprintf("all objects were processed %.0f s after the start", settled.Seconds())},
		{Measure: "roadstead-apiserver idle, CPU", Variant: variant, Unit: "% of a core", Ours: one(percent(serverAfter - serverBefore))},
	}, nil
}
