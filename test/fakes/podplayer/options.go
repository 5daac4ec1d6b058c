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

// KwokTaint is the key of the taint (effect NoSchedule) that Start puts on the nodes that kwok manages.
const KwokTaint = "roadstead.test/kwok"

// Behaviour is what the program of an image does. It runs until it gives its exit code; ctx ends when the container is told to
// stop (SIGTERM), and a behaviour that goes on after that is taken as killed (exit code 137) when its grace period is over.
// A panic is exit code 2 with the reason in the log. It must not keep goroutines when it returns.
type Behaviour func(ctx context.Context, pod *Pod) (exitCode int)

// Network knows the address of this machine that stands for one of the cluster's; clusternet.Network is one.
type Network interface {
	Address(ip string) (string, error)
}

// Options say what Start plays.
type Options struct {
	// Config reaches the cluster with the rights of a kubelet and more; an administrator's will do. Required.
	Config *rest.Config
	// NodeName is the node that is made and played, default "player-0".
	NodeName string
	// Behaviours are found by image as the pod spells it, or by its name without tag and digest. A container whose image is not
	// here becomes Running and Ready at once and stays so, or completes at once in a Job's pod and as an init container.
	Behaviours map[string]Behaviour
	// Network, when given, leads kube-apiserver to the node: the player then serves the logs of its pods, so that "kubectl logs"
	// works. Without one they are only in Player.Logs.
	Network Network
	// TimeScale makes crash back-off, probe periods and the retries of what is missing shorter: 0.01 turns 10 s into 100 ms.
	// Default 1. Grace periods are not scaled.
	TimeScale float64
	// Logf is told what the player does. Nil: silence.
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

// scaled is how long a time of the real kubelet lasts here.
func (o Options) scaled(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return max(time.Duration(float64(d)*o.TimeScale), time.Millisecond)
}

// behaviour gives the function for an image, and false when none is registered.
func (o Options) behaviour(image string) (Behaviour, bool) {
	if b, ok := o.Behaviours[image]; ok {
		return b, true
	}
	b, ok := o.Behaviours[repository(image)]
	return b, ok
}

// repository is an image's name without tag and digest; a colon before the last slash is that of a port.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndexByte(image, ':'); colon > strings.LastIndexByte(image, '/') {
		image = image[:colon]
	}
	return image
}
