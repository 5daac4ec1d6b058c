// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParseFloat(t *testing.T) {
	for text, want := range map[string]float64{"10": 10, " 7.5 ": 7.5, "1e3": 1000, "12abc": 12, "-.5": -0.5, "5.": 5, "0x10": 0,
		"Infinity": math.Inf(1)} {
		assert.Equal(t, want, parseFloat(text), text)
	}
	for _, text := range []string{"", "abc", "tcp://10.0.0.1:6379", "e5", "-", "inf"} {
		assert.True(t, math.IsNaN(parseFloat(text)), text)
	}
}

func TestConfig(t *testing.T) {
	c := readConfig(nil)
	assert.Equal(t, "ws://127.0.0.1:3004", c.url)
	assert.Equal(t, []float64{3002, 10, 10, 6379}, []float64{c.port, c.maxAttempts, c.totalPlayers, c.redisPort})
	assert.Equal(t, []time.Duration{5 * time.Second, time.Minute, 30 * time.Second}, []time.Duration{c.interval, c.most, c.heartbeat})
	assert.Equal(t, []bool{false, true}, []bool{c.autoStart, c.forever})
	assert.Equal(t, event{50, true}, c.simulation["itemInteraction"])
	assert.Equal(t, event{2, true}, c.simulation["nameChange"])
	assert.Len(t, c.simulation, 7)

	c = readConfig(map[string]string{"MOCK_SIM_AUTO_START": "", "MOCK_SIM_CHAT_ENABLED": "FALSE", "MOCK_SIM_KILL_ENABLED": "0",
		"MOCK_SIM_CHAT_FREQUENCY": "130", "T_WS_RECONNECT_INTERVAL_MS": "soon", "REDIS_PORT": "tcp://10.0.0.1:6379"})
	assert.True(t, c.autoStart, "an empty text is true")
	assert.Equal(t, event{130, false}, c.simulation["chatMessage"], "no range is checked")
	assert.True(t, c.simulation["kill"].Enabled, "only false is false")
	assert.Equal(t, time.Millisecond, c.interval)
	assert.True(t, math.IsNaN(c.redisPort))
	assert.True(t, fatalInRedis(newStore(c).ready(t.Context())))
}

func TestInterval(t *testing.T) {
	assert.Equal(t, time.Minute, event{Frequency: 0}.interval("chatMessage"))
	assert.Equal(t, 3*time.Second, event{Frequency: 100}.interval("chatMessage"))
	assert.Equal(t, 20*time.Second, event{Frequency: 50}.interval("connection"))
}
