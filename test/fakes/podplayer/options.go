// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"k8s.io/client-go/rest"
)

// KwokTaint is the key of the taint (effect NoSchedule) that Start adds to the nodes that kwok
// manages.
const KwokTaint = "roadstead.test/kwok"

// Behaviour is the program of an image. It runs until it returns its exit code. The ctx is canceled
// when the container must stop (SIGTERM). A behavior that still runs at the end of its grace period
// counts as killed (exit code 137). A panic is exit code 2 with the reason in the log. A behavior
// must not leave goroutines behind when it returns.
type Behaviour func(ctx context.Context, pod *Pod) (exitCode int)

// Network maps an address of the cluster to one of this machine. It is implemented by
// clusternet.Network.
type Network interface {
	Address(ip string) (string, error)
}

// Options configure a Player.
type Options struct {
	// Config is the client configuration. It needs the permissions of a kubelet and more, such as
	// those of an administrator. Required.
	Config *rest.Config
	// NodeName is the name of the node that is created and played. Defaults to "player-0".
	NodeName string
	// Behaviours are keyed by image, as written in the pod or without tag and digest. A container
	// whose image is not listed becomes Running and Ready immediately and stays so, or, in a Job's
	// pod and as an init container, completes immediately.
	Behaviours map[string]Behaviour
	// Network, if set, routes kube-apiserver to the node: the player then serves the logs of its
	// pods, so that "kubectl logs" works. Without it they are available only from Player.Logs.
	Network Network
	// TimeScale scales crash back-off, probe periods and the retries for missing objects: 0.01
	// turns 10 s into 100 ms. Defaults to 1. Grace periods are not scaled.
	TimeScale float64
	// Logf logs the actions of the player. Nil disables the log.
	Logf func(format string, args ...any)
}

func (o Options) withDefaults() (Options, error) {
	if o.Config == nil {
		return o, errors.New("podplayer: Options.Config is missing: give the rest.Config of the cluster")
	}
	if o.TimeScale < 0 {
		return o, errors.New("podplayer: Options.TimeScale is negative: give a factor such as 0.01")
	}
	o.NodeName = cmp.Or(o.NodeName, "player-0")
	o.TimeScale = cmp.Or(o.TimeScale, 1)
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	return o, nil
}

// scaled returns the duration that replaces a duration of the real kubelet.
func (o Options) scaled(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return max(time.Duration(float64(d)*o.TimeScale), time.Millisecond)
}

// behaviour returns the function for an image, or false if none is registered.
func (o Options) behaviour(image string) (Behaviour, bool) {
	if b, ok := o.Behaviours[image]; ok {
		return b, true
	}
	b, ok := o.Behaviours[repository(image)]
	return b, ok
}

// repository returns an image's name without tag and digest. A colon before the last slash belongs
// to a port.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndexByte(image, ':'); colon > strings.LastIndexByte(image, '/') {
		image = image[:colon]
	}
	return image
}
