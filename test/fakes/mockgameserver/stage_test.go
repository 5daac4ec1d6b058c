// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/redis"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// limit bounds each wait of these tests, which takes well under a second.
const limit = 15 * time.Second

// stage is a Takaro, a Redis, and a domain with a limit of two game servers.
type stage struct {
	*testing.T
	takaro *takaro.Server
	redis  *redis.Server
	domain takaro.Domain
	data   *goredis.Client
	// files are the mounted files of the program.
	files map[string][]byte
}

// newStage returns a stage; change modifies the options of its Takaro.
func newStage(t *testing.T, change ...func(*takaro.Options)) *stage {
	t.Helper()
	options := takaro.Options{ConnectorListen: "127.0.0.1:0", IdentifyTimeout: 100 * time.Millisecond,
		ReachableInterval: 50 * time.Millisecond}
	for _, do := range change {
		do(&options)
	}
	s := &stage{T: t, files: map[string][]byte{}, takaro: takaro.New(options)}
	require.NoError(t, s.takaro.Start())
	t.Cleanup(s.takaro.Close)
	var err error
	s.redis, err = redis.Start(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.redis.Close()) })
	s.data = s.redis.Client()
	t.Cleanup(func() { _ = s.data.Close() })
	s.domain, _, err = s.takaro.PlantDomain(takaro.Seed{Name: "one", MaxGameServers: 2})
	require.NoError(t, err)
	return s
}

// actor is one run of the program.
type actor struct {
	mu     sync.Mutex
	out    strings.Builder
	probes http.Handler
	exit   chan int
	stop   context.CancelFunc
}

// start runs the program for identity mock-1 with some variables changed. It ends with the test.
func (s *stage) start(change map[string]string) *actor {
	s.Helper()
	env := map[string]string{"T_WS_URL": s.takaro.ConnectorURL(), "TAKARO_MOCK_REGISTRATION_TOKEN": s.domain.RegistrationToken,
		"TAKARO_MOCK_IDENTITY_TOKEN": "mock-1", "REDIS_HOST": s.redis.Host, "REDIS_PORT": strconv.Itoa(s.redis.Port),
		"REDIS_PASSWORD": s.redis.Password}
	maps.Copy(env, change)
	ctx, stop := context.WithCancel(s.Context())
	a := &actor{exit: make(chan int, 1), stop: stop}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.exit <- Run(ctx, Options{StartDelay: time.Millisecond, TimeScale: 0.005}, Process{Env: env, Logf: a.logf,
			ServeProbes: a.serveProbes, File: s.file})
	}()
	s.Cleanup(func() { stop(); <-ended })
	return a
}

func (s *stage) file(_ context.Context, name string) ([]byte, error) {
	content, mounted := s.files[name]
	if !mounted {
		return nil, fs.ErrNotExist
	}
	return content, nil
}

func (a *actor) logf(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = fmt.Fprintf(&a.out, format+"\n", args...)
}

func (a *actor) log() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.out.String()
}

func (a *actor) serveProbes(h http.Handler) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.probes = h
}

func (a *actor) probe(url string) (int, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.probes == nil {
		return 0, ""
	}
	w := httptest.NewRecorder()
	a.probes.ServeHTTP(w, httptest.NewRequest(http.MethodGet, url, http.NoBody))
	return w.Code, w.Body.String()
}

func (s *stage) eventually(what string, is func() bool) {
	s.Helper()
	require.Eventually(s, is, limit, 2*time.Millisecond, what)
}

func (s *stage) server() takaro.GameServer {
	d, _ := s.takaro.Domain(s.domain.ID)
	for _, g := range d.GameServers {
		if g.IdentityToken == "mock-1" {
			return g
		}
	}
	return takaro.GameServer{}
}

// saved returns a key of the simulation.
func (s *stage) saved(key string) string {
	return s.data.Get(s.Context(), "gameserver:mock-1:simulation:"+key).Val()
}

// command sends a console command through the API.
func (s *stage) command(line string) string {
	s.Helper()
	token := s.post("/token", "X-Takaro-Admin-Token", s.takaro.AdminToken(), `{"domainId":"`+s.domain.ID+`"}`)
	token, _, _ = strings.Cut(strings.SplitN(token, `"token":"`, 2)[1], `"`)
	return s.post("/gameserver/"+s.server().ID+"/command", "X-Takaro-Token", token, `{"command":"`+line+`"}`)
}

func (s *stage) post(path, header, token, body string) string {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.takaro.URL()+path, strings.NewReader(body))
	require.NoError(s, err)
	r.Header.Set(header, token)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(s, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(s, err)
	require.Equal(s, http.StatusOK, res.StatusCode, string(raw))
	return string(raw)
}
