// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// stopLimit is how long Stop waits for behaviors to return after their context was canceled.
const stopLimit = 10 * time.Second

// Player plays one node. All methods may be called concurrently.
type Player struct {
	opts   Options
	client kubernetes.Interface
	source source
	ctx    context.Context
	stop   context.CancelFunc
	tasks  sync.WaitGroup
	logs   logBook
	nextIP atomic.Uint32
	counts counters

	mu   sync.Mutex
	pods map[types.UID]*worker
}

// Counts counts what a player has done since Start.
type Counts struct {
	Pods     int // pods that were started
	Ended    int // pods whose object the player deleted after their end
	Starts   int // runs of containers, including restarts
	Restarts int // the restarts among Starts
	Unwell   int // runs ended because a liveness or startup probe failed
	Running  int // runs of containers that are active now
}

type counters struct{ pods, ended, starts, restarts, unwell, running atomic.Int64 }

// Start creates the node, taints the nodes that kwok manages, and plays until Stop is called or ctx
// is done. It returns when pods can be scheduled to the node. The cluster needs a
// controller-manager and a scheduler.
func Start(ctx context.Context, opts Options) (*Player, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	config := rest.CopyConfig(opts.Config)
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("podplayer: %w", err)
	}
	p := &Player{opts: opts, client: client, source: clusterSource{client}, pods: map[types.UID]*worker{},
		logs: logBook{lines: map[string][]string{}}}
	p.ctx, p.stop = context.WithCancel(ctx)
	if err := p.bringUp(); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

func (p *Player) bringUp() error {
	if err := p.makeNode(p.ctx); err != nil {
		return fmt.Errorf("podplayer: make node %s: %w", p.opts.NodeName, err)
	}
	p.tasks.Go(p.renewLease)
	if err := p.serveKubelet(); err != nil {
		return fmt.Errorf("podplayer: serve the logs of node %s: %w", p.opts.NodeName, err)
	}
	if err := p.taintKwokNodes(p.ctx); err != nil {
		return fmt.Errorf("podplayer: taint the nodes of kwok: %w", err)
	}
	if err := p.awaitSchedulable(p.ctx); err != nil {
		return fmt.Errorf("podplayer: %w", err)
	}
	selector := fields.OneTermEqualSelector("spec.nodeName", p.opts.NodeName).String()
	watched := cache.NewFilteredListWatchFromClient(p.client.CoreV1().RESTClient(), "pods", metav1.NamespaceAll,
		func(o *metav1.ListOptions) { o.FieldSelector = selector })
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: watched, ObjectType: &corev1.Pod{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { p.observe(o.(*corev1.Pod)) },
			UpdateFunc: func(_, o any) { p.observe(o.(*corev1.Pod)) },
			DeleteFunc: p.vanished,
		},
	})
	p.tasks.Go(func() { informer.RunWithContext(p.ctx) })
	if !cache.WaitForCacheSync(p.ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("podplayer: the list of pods did not come: %w", p.ctx.Err())
	}
	return nil
}

// Stop ends all behaviors and leaves the pods and the node unchanged, as a node that loses power
// does. The node controller detects this after some time, and a player that is started for the same
// node runs its pods again. Stop returns an error if a behavior does not return after its context
// was canceled. It may be called more than once.
func (p *Player) Stop() error {
	p.stop()
	ended := make(chan struct{})
	go func() {
		p.tasks.Wait()
		close(ended)
	}()
	late := time.NewTimer(stopLimit)
	defer late.Stop()
	select {
	case <-ended:
		return nil
	case <-late.C:
		return fmt.Errorf("podplayer: a behaviour goes on %s after its context has ended: it must return then", stopLimit)
	}
}

// observe starts a worker for a new pod, or passes the current state of the pod to its worker.
func (p *Player) observe(pod *corev1.Pod) {
	p.mu.Lock()
	w := p.pods[pod.UID]
	fresh := w == nil && p.ctx.Err() == nil
	if fresh {
		w = p.newWorker(pod)
		p.pods[pod.UID] = w
		p.counts.pods.Add(1)
		p.tasks.Go(w.run)
	}
	p.mu.Unlock()
	if w != nil {
		w.observe(pod)
	}
}

// vanished handles pods that were deleted without waiting for the player.
func (p *Player) vanished(o any) {
	if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = unknown.Obj
	}
	pod, ok := o.(*corev1.Pod)
	if !ok {
		return
	}
	p.mu.Lock()
	w := p.pods[pod.UID]
	delete(p.pods, pod.UID)
	p.mu.Unlock()
	if w != nil {
		w.gone()
	}
}

// Pod returns the current run of a pod's first container, or false if none is active, such as
// during a back-off.
func (p *Player) Pod(namespace, name string) (*Pod, bool) {
	w := p.worker(namespace, name)
	if w == nil {
		return nil, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	current := w.main[0].current
	return current, current != nil
}

func (p *Player) worker(namespace, name string) *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.pods {
		if w.namespace == namespace && w.name == name {
			return w
		}
	}
	return nil
}

// Kill ends the current run of a pod's first container as if its process had ended with the exit
// code. It returns an error if no run is active.
func (p *Player) Kill(namespace, name string, exitCode int) error {
	run, running := p.Pod(namespace, name)
	if !running {
		return fmt.Errorf("podplayer: pod %s/%s has no running container on node %s", namespace, name, p.opts.NodeName)
	}
	run.kill(exitCode)
	return nil
}

// Counts returns the current counts.
func (p *Player) Counts() Counts {
	c := &p.counts
	return Counts{Pods: int(c.pods.Load()), Ended: int(c.ended.Load()), Starts: int(c.starts.Load()), Restarts: int(c.restarts.Load()),
		Unwell: int(c.unwell.Load()), Running: int(c.running.Load())}
}

// sleep waits for d and reports whether ctx is not done.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
