// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"
)

func TestOptions(t *testing.T) {
	_, err := Start(t.Context(), Options{})
	require.ErrorContains(t, err, "Options.Config is missing")
	_, err = Start(t.Context(), Options{Config: &rest.Config{}, TimeScale: -1})
	require.ErrorContains(t, err, "TimeScale is negative")
	o, err := Options{Config: &rest.Config{}}.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, "player-0", o.NodeName)
	assert.Equal(t, 10*time.Second, o.scaled(10*time.Second))
	o.TimeScale = 0.01
	assert.Equal(t, []time.Duration{100 * time.Millisecond, time.Millisecond, 0}, []time.Duration{o.scaled(10 * time.Second),
		o.scaled(time.Microsecond), o.scaled(0)})
}

func TestLogsAreBounded(t *testing.T) {
	p := &Player{logs: logBook{lines: map[string][]string{}}}
	for i := range 3 * keptLines {
		p.logs.printf(logKey("games", "mock-0", "main"), "line %d\n", i)
	}
	lines := p.Logs("games", "mock-0", "main")
	assert.GreaterOrEqual(t, len(lines), keptLines)
	assert.LessOrEqual(t, len(lines), 2*keptLines)
	assert.Equal(t, fmt.Sprintf("line %d", 3*keptLines-1), lines[len(lines)-1])
	assert.Equal(t, lines, p.Logs("games", "mock-0", ""))
	assert.Empty(t, p.Logs("games", "mock", ""), "a name is not the beginning of another")
}

func TestProbePort(t *testing.T) {
	p := &Pod{spec: &corev1.Container{Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 3002}}}}
	assert.Equal(t, "3002", p.port(intstr.FromString("http")))
	assert.Equal(t, "80", p.port(intstr.FromInt32(80)))
	assert.Equal(t, "metrics", p.port(intstr.FromString("metrics")))
}
