// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// config is the configuration as the real program reads it from the environment.
type config struct {
	port              float64
	url               string
	maxAttempts       float64
	interval, most    time.Duration
	heartbeat         time.Duration
	forever           bool
	registrationToken string
	identityToken     string
	autoStart         bool
	simulation        simulationConfig
	totalPlayers      float64
	redisHost         string
	redisPort         float64
	redisUser         string
	redisPassword     string
	extraCA           string
}

// The defaults of the two tokens. The program does not register with either of them.
const (
	defaultRegistration = "default-token"
	defaultIdentity     = "default-mock"
)

// eventNames are the events with their own variables: the middle part of the variable names, and
// the key in Redis.
var eventNames = [][2]string{{"CHAT", "chatMessage"}, {"MOVEMENT", "playerMovement"}, {"CONNECTION", "connection"},
	{"DEATH", "death"}, {"KILL", "kill"}, {"ITEM", "itemInteraction"}}

func readConfig(env map[string]string) config {
	e := environment(env)
	c := config{
		port: e.number("PORT", 3002), url: e.text("T_WS_URL", "ws://127.0.0.1:3004"),
		maxAttempts: e.number("T_WS_MAX_RECONNECT_ATTEMPTS", 10), forever: e.flag("T_WS_CONTINUOUS_RECONNECT", true),
		interval: e.millis("T_WS_RECONNECT_INTERVAL_MS", 5000), most: e.millis("T_WS_MAX_RECONNECT_INTERVAL_MS", 60000),
		heartbeat:         e.millis("T_WS_HEARTBEAT_INTERVAL_MS", 30000),
		registrationToken: e.text("TAKARO_MOCK_REGISTRATION_TOKEN", defaultRegistration),
		identityToken:     e.text("TAKARO_MOCK_IDENTITY_TOKEN", defaultIdentity),
		autoStart:         e.flag("MOCK_SIM_AUTO_START", false), totalPlayers: e.number("MOCK_TOTAL_PLAYERS", 10),
		redisHost: e.text("REDIS_HOST", "localhost"), redisPort: e.number("REDIS_PORT", 6379),
		redisUser: e.text("REDIS_USERNAME", ""), redisPassword: e.text("REDIS_PASSWORD", ""), extraCA: e.text("NODE_EXTRA_CA_CERTS", ""),
		simulation: simulationConfig{"nameChange": {Frequency: 2, Enabled: true}},
	}
	for _, n := range eventNames {
		c.simulation[n[1]] = event{e.number("MOCK_SIM_"+n[0]+"_FREQUENCY", 50), e.flag("MOCK_SIM_"+n[0]+"_ENABLED", true)}
	}
	return c
}

// environment reads variables as the convict library does: a variable that is set counts, even if
// it is empty.
type environment map[string]string

func (e environment) text(name, byDefault string) string {
	if v, set := e[name]; set {
		return v
	}
	return byDefault
}

func (e environment) number(name string, byDefault float64) float64 {
	if v, set := e[name]; set {
		return parseFloat(v)
	}
	return byDefault
}

func (e environment) millis(name string, byDefault float64) time.Duration {
	n := e.number(name, byDefault)
	if !(n > 0) { // includes NaN, for which a timer of Node fires after a millisecond
		n = 1
	}
	return time.Duration(n * float64(time.Millisecond))
}

// flag returns true for every text except "false", ignoring case.
func (e environment) flag(name string, byDefault bool) bool {
	if v, set := e[name]; set {
		return !strings.EqualFold(v, "false")
	}
	return byDefault
}

var leadingNumber = regexp.MustCompile(`^\s*([+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))`)

// parseFloat parses the number at the beginning of a text, as in JavaScript. It returns NaN if
// there is none.
func parseFloat(text string) float64 {
	found := leadingNumber.FindStringSubmatch(text)
	if found == nil {
		return math.NaN()
	}
	n, err := strconv.ParseFloat(found[1], 64)
	if err != nil && !math.IsInf(n, 0) {
		return math.NaN()
	}
	return n
}
