// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probe runs the probes of one run until ctx is done. A container that only waits for its end is
// ready immediately.
func (c *container) probe(ctx context.Context, run *Pod) {
	_, registered := c.worker.player.opts.behaviour(c.spec.Image)
	readiness, liveness := c.spec.ReadinessProbe, c.spec.LivenessProbe
	if !registered {
		readiness, liveness = nil, nil
	}
	if registered {
		run.awaitSettled(ctx)
	}
	if registered && c.spec.StartupProbe != nil && !c.awaitStartup(ctx, run) {
		return
	}
	c.worker.change(func() {
		if c.current == run {
			c.started, c.ready = true, readiness == nil
		}
	})
	var both sync.WaitGroup
	if readiness != nil {
		both.Go(func() { c.watchReadiness(ctx, run, readiness) })
	}
	if liveness != nil {
		both.Go(func() { c.watchLiveness(ctx, run, liveness) })
	}
	both.Wait()
}

// settleLimit is the maximum delay of the first probe for a behavior that has not reported its
// state.
const settleLimit = 200 * time.Millisecond

func (p *Pod) awaitSettled(ctx context.Context) {
	if p.spec.ReadinessProbe == nil && p.spec.StartupProbe == nil && p.spec.LivenessProbe == nil {
		return
	}
	late := time.NewTimer(settleLimit)
	defer late.Stop()
	select {
	case <-p.settled:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (c *container) awaitStartup(ctx context.Context, run *Pod) bool {
	passed := false
	c.poll(ctx, c.spec.StartupProbe, func(failures, successes int) bool {
		passed = successes >= int(cmp.Or(c.spec.StartupProbe.SuccessThreshold, 1))
		return !passed && !c.unwell(run, "startup", failures, c.spec.StartupProbe)
	}, func() bool { return run.check(c.spec.StartupProbe, run.isHealthy) })
	return passed
}

func (c *container) watchLiveness(ctx context.Context, run *Pod, probe *corev1.Probe) {
	c.poll(ctx, probe, func(failures, _ int) bool { return !c.unwell(run, "liveness", failures, probe) },
		func() bool { return run.check(probe, run.isHealthy) })
}

func (c *container) watchReadiness(ctx context.Context, run *Pod, probe *corev1.Probe) {
	c.poll(ctx, probe, func(failures, successes int) bool {
		switch {
		case successes >= int(cmp.Or(probe.SuccessThreshold, 1)):
			c.setReady(run, true)
		case failures >= threshold(probe):
			c.setReady(run, false)
		}
		return true
	}, func() bool { return run.check(probe, run.isReady) })
}

func (c *container) setReady(run *Pod, ready bool) {
	c.worker.mu.Lock()
	changed := c.current == run && c.ready != ready
	if changed {
		c.ready = ready
	}
	c.worker.mu.Unlock()
	if changed {
		c.worker.touch()
	}
}

// unwell ends a run whose probe has failed too often, and reports whether it did.
func (c *container) unwell(run *Pod, kind string, failures int, probe *corev1.Probe) bool {
	if failures < threshold(probe) {
		return false
	}
	c.worker.player.counts.unwell.Add(1)
	run.Logf("podplayer: container %s failed its %s probe %d times: restarted", c.spec.Name, kind, failures)
	run.cancel()
	return true
}

func threshold(probe *corev1.Probe) int { return int(cmp.Or(probe.FailureThreshold, 3)) }

// poll checks at the period of the probe and reports the number of consecutive failures or
// successes, until report returns false or ctx is done.
func (c *container) poll(ctx context.Context, probe *corev1.Probe, report func(failures, successes int) (goOn bool), check func() bool) {
	opts := c.worker.player.opts
	period := opts.scaled(time.Duration(cmp.Or(probe.PeriodSeconds, 10)) * time.Second)
	failures, successes := 0, 0
	for alive := sleep(ctx, opts.scaled(time.Duration(probe.InitialDelaySeconds)*time.Second)); alive; alive = sleep(ctx, period) {
		if check() {
			failures, successes = 0, successes+1
		} else {
			failures, successes = failures+1, 0
		}
		if ctx.Err() != nil || !report(failures, successes) {
			return
		}
	}
}

// check calls the handler for an httpGet probe, and the flag for other probes.
func (p *Pod) check(probe *corev1.Probe, flag func() bool) bool {
	p.mu.Lock()
	handler := p.probes
	p.mu.Unlock()
	if probe.HTTPGet == nil || handler == nil {
		return flag()
	}
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(cmp.Or(probe.HTTPGet.Path, "/"), "?")
	r.URL.Scheme, r.Host = strings.ToLower(string(cmp.Or(probe.HTTPGet.Scheme, corev1.URISchemeHTTP))), net.JoinHostPort(p.IP,
		p.port(probe.HTTPGet.Port))
	for _, h := range probe.HTTPGet.HTTPHeaders {
		r.Header.Add(h.Name, h.Value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code >= 200 && w.Code < 400
}

// port returns a probe's port in digits. A name that the container does not declare is returned
// unchanged; no program listens on it.
func (p *Pod) port(port intstr.IntOrString) string {
	for _, named := range p.spec.Ports {
		if port.Type == intstr.String && named.Name == port.StrVal {
			return strconv.Itoa(int(named.ContainerPort))
		}
	}
	return port.String()
}

func (p *Pod) isReady() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready
}

func (p *Pod) isHealthy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.healthy
}
