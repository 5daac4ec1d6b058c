// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// store is the data of the program in Redis, under gameserver:<identity token>:.
type store struct {
	client *redis.Client
	prefix string
}

func newStore(c config) store {
	port := "NaN"
	if c.redisPort == math.Trunc(c.redisPort) {
		port = strconv.Itoa(int(c.redisPort))
	}
	return store{prefix: "gameserver:" + c.identityToken + ":", client: redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort(c.redisHost, port), Username: c.redisUser, Password: c.redisPassword, MaxRetries: -1, DialerRetries: 1,
		DisableIdentity: true, MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})}
}

func (s store) close() { _ = s.client.Close() }

// ready returns nil if Redis accepts the credentials.
func (s store) ready(ctx context.Context) error { return s.client.Ping(ctx).Err() }

// fatalInRedis reports whether the real program exits on an error: a name that does not resolve, an
// invalid port, a wrong or missing password.
func fatalInRedis(err error) bool {
	if name := new(net.DNSError); errors.As(err, &name) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "WRONGPASS") || strings.Contains(text, "NOAUTH") || strings.Contains(text, "unknown port") ||
		strings.Contains(text, "invalid port")
}

// savedState is the value of the key simulation:state.
type savedState struct {
	IsRunning bool  `json:"isRunning"`
	Timestamp int64 `json:"timestamp"`
}

// load returns the saved simulation. Parts that are not saved are nil.
func (s store) load(ctx context.Context) (*savedState, simulationConfig, error) {
	values, err := s.client.MGet(ctx, s.prefix+"simulation:state", s.prefix+"simulation:config").Result()
	if err != nil {
		return nil, nil, err
	}
	var state *savedState
	var config simulationConfig
	if text, saved := values[0].(string); saved {
		if err := json.Unmarshal([]byte(text), &state); err != nil {
			return nil, nil, fmt.Errorf("key %ssimulation:state: %w", s.prefix, err)
		}
	}
	if text, saved := values[1].(string); saved {
		if err := json.Unmarshal([]byte(text), &config); err != nil {
			return nil, nil, fmt.Errorf("key %ssimulation:config: %w", s.prefix, err)
		}
	}
	return state, config, nil
}

// save writes state and config.
func (s store) save(ctx context.Context, running bool, config simulationConfig) error {
	state, err := json.Marshal(savedState{running, time.Now().UnixMilli()})
	if err != nil {
		return err
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	return s.client.MSet(ctx, s.prefix+"simulation:state", state, s.prefix+"simulation:config", text).Err()
}

// growPlayers creates players until there are as many as wanted. It never deletes players.
func (s store) growPlayers(ctx context.Context, wanted float64) error {
	have, err := s.client.SCard(ctx, s.prefix+"players").Result()
	if err != nil {
		return err
	}
	for i := have; float64(i) < wanted; i++ {
		id := strconv.FormatInt(i, 10)
		key := s.prefix + "player:" + id
		if _, err := s.client.TxPipelined(ctx, func(tx redis.Pipeliner) error {
			tx.HSet(ctx, key, "gameId", id, "name", "player-"+id)
			tx.HSet(ctx, key+":meta", "position.x", "0", "position.y", "0", "position.z", "0", "online", "false")
			tx.SAdd(ctx, s.prefix+"players", id)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// setOnline connects or disconnects all players and returns their number.
func (s store) setOnline(ctx context.Context, online bool) (int, error) {
	ids, err := s.client.SMembers(ctx, s.prefix+"players").Result()
	for _, id := range ids {
		if err == nil {
			err = s.client.HSet(ctx, s.prefix+"player:"+id+":meta", "online", strconv.FormatBool(online)).Err()
		}
	}
	return len(ids), err
}
