// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/observe"
	"roadstead.dev/roadstead/test/chaos/world"
)

// lookEvery is the interval at which unsettled objects are checked.
const lookEvery = time.Second

// judge waits until the run has settled, and checks the invariants of the final state.
func (r *runner) judge(ctx context.Context) {
	begin := time.Now()
	stored, open := r.settle(ctx)
	if len(open) == 0 {
		r.world.Logf("all has settled after %s: %d objects, %d Takaro domains", time.Since(begin).Round(time.Second), len(stored),
			len(r.world.Outside().Domains))
		r.judgeCalm(ctx)
	}
	r.observer.Stop()
	r.secrets.Stop()
	r.tellAll(open)
	r.tellAll(check.Writes(r.history.Writes(), stored))
	r.tellAll(r.observer.Busy())
	r.tellAll(crashed(r.world))
	r.judgeUsage(ctx)
}

// judgeUsage checks the resource usage of the programs.
func (r *runner) judgeUsage(ctx context.Context) {
	usages, err := r.world.Usages(ctx)
	if err != nil {
		r.tellAll([]check.Violation{{Rule: check.Resources, Text: "the metrics cannot be read: " + err.Error()}})
	}
	for _, one := range usages {
		r.world.Logf("%s: %d MiB of memory at most, %d goroutines at the end", one.Program, one.Peak>>20, one.Goroutines)
	}
	r.tellAll(check.Exhausted(usages))
}

// settle checks the state until nothing is pending, and returns the result of the last check.
func (r *runner) settle(ctx context.Context) (stored []check.Object, open []check.Violation) {
	ctx, cancel := context.WithTimeout(ctx, r.Settle)
	defer cancel()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	told := time.Now()
	for {
		now, left, err := r.look(ctx)
		if err == nil && len(left) > 0 {
			err = repair(ctx, r.world, now)
		}
		if err == nil {
			stored, open = now, left
		}
		if err == nil && len(left) == 0 {
			return stored, nil
		}
		if time.Since(told) > 20*time.Second {
			told = time.Now()
			r.world.Logf("not settled yet: %d open, %v; for example %v", len(left), err, left[:min(len(left), 2)])
		}
		select {
		case <-ctx.Done():
			if err != nil && len(open) == 0 {
				open = []check.Violation{{Rule: check.Unsettled, Text: "our APIs cannot be read: " + err.Error()}}
			}
			return stored, open
		case <-ticker.C:
		}
	}
}

// look returns the stored objects and the violations of what must hold in the end.
func (r *runner) look(ctx context.Context) ([]check.Object, []check.Violation, error) {
	if err := r.releaseNamespaces(ctx); err != nil {
		return nil, nil, err
	}
	stored, err := observe.Stored(ctx, r.world.Dynamic)
	if err != nil {
		return nil, nil, err
	}
	terminating, err := r.terminating(ctx)
	if err != nil {
		return nil, nil, err
	}
	attempts, err := r.attempts(ctx)
	if err != nil {
		return nil, nil, err
	}
	logins, keys, err := r.world.InRedis(ctx)
	if err != nil {
		return nil, nil, err
	}
	secrets, err := r.world.Secrets(ctx)
	if err != nil {
		return nil, nil, err
	}
	outside, ended := r.world.Outside(), r.observer.Ended()
	open := check.Pending(stored, terminating, outside)
	open = append(open, check.LeftBehind(stored, ended, r.workload.Kept(), outside)...)
	open = append(open, check.LeftInRedis(stored, logins, keys)...)
	open = append(open, check.Kept(ended, outside)...)
	open = append(open, check.Logins(stored, outside, secrets, r.accepts, r.world.WasLost)...)
	open = append(open, check.StillInUse(stored, secrets)...)
	open = append(open, check.Guarded(attempts, r.away)...)
	return stored, append(open, check.Watched(r.observer.Watched(), stored)...), nil
}

// accepts reports whether one of the two Takaros accepts a login.
func (r *runner) accepts(email, password string) bool {
	return r.world.Takaro.PasswordIs(email, password) || r.world.Failing.PasswordIs(email, password)
}

// terminating returns the namespaces of the run that are being deleted.
func (r *runner) terminating(ctx context.Context) ([]string, error) {
	all, err := r.world.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, namespace := range all.Items {
		if strings.HasPrefix(namespace.Name, world.Prefix) && namespace.Status.Phase == corev1.NamespaceTerminating {
			names = append(names, namespace.Name)
		}
	}
	return names, nil
}

// attempts returns the changes of CRDs with the number of events that reported each as missed.
func (r *runner) attempts(ctx context.Context) ([]check.Attempt, error) {
	events, err := r.world.Client.EventsV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	attempts := r.workload.Attempts()
	for i := range attempts {
		for _, event := range events.Items {
			if missed(event) && event.Regarding.Name == attempts[i].CRD {
				attempts[i].Told++
			}
		}
	}
	return attempts, nil
}

func missed(event eventsv1.Event) bool { return event.Reason == "CRDChangeMissed" }

// busy returns violations for outside objects that were requested too often.
func busy(w *world.World) []check.Violation {
	times := map[string][]time.Time{}
	for _, request := range w.Failing.Requests() {
		times["requests for the Domain whose Takaro fails"] = append(times["requests for the Domain whose Takaro fails"], request.Time)
	}
	anchors := map[string]bool{}
	for _, anchor := range w.Takaro.Anchors() {
		anchors["/domain/"+anchor.ID] = true
	}
	for _, request := range w.Takaro.Requests() {
		// Only requests for a single object count: searches are for all objects of an endpoint or a
		// domain, and each controller reads and renews an anchor for each TakaroEndpoint.
		if strings.Count(request.Path, "/") > 1 && !strings.HasSuffix(request.Path, "/search") && !anchors[request.Path] {
			what := request.Method + " " + request.Path
			times[what] = append(times[what], request.Time)
		}
	}
	var found []check.Violation
	for what, all := range times {
		found = append(found, check.Busy(what, all)...)
	}
	return found
}

// crashed checks the logs of Roadstead's programs.
func crashed(w *world.World) []check.Violation {
	var found []check.Violation
	logs, _ := filepath.Glob(filepath.Join(w.Dir, "roadstead", "*.log"))
	for _, path := range logs {
		if log, err := os.ReadFile(path); err == nil && !strings.HasSuffix(path, "-audit.log") {
			found = append(found, check.Crashed(filepath.Base(path), log)...)
		}
	}
	return found
}
