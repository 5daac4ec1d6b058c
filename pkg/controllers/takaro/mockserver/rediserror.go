// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/netguard"
)

// redisError is an error with the Redis, and with the Secret that contains its address or login.
// Its text contains no data from the server, since a user chooses the server, and no password and
// no local port. The response of a shared Redis is an exception, because an administrator chose
// that Redis.
type redisError struct {
	address, from string
	shared        bool
	err           error
}

// Error returns which Redis failed, and why.
func (e *redisError) Error() string {
	where := e.address
	if e.from != "" {
		where += " (" + e.from + ")"
	}
	return fmt.Sprintf("Redis at %s: %s", where, e.reason())
}

// Unwrap returns the cause, whose text must not be shown to users.
func (e *redisError) Unwrap() error { return e.err }

// Outside reports that Redis caused the error, and not this program; see base.Measure.
func (*redisError) Outside() bool { return true }

// reason returns a description of the class of the error.
func (e *redisError) reason() string {
	var answer redis.Error
	var name *net.DNSError
	var network net.Error
	var refused *netguard.RefusedError
	var fenced *netguard.WriteRefusedError
	switch {
	case errors.As(e.err, &refused):
		return refused.Error()
	case errors.As(e.err, &fenced):
		return fenced.Error()
	case errors.Is(e.err, netguard.ErrOwnUnknown):
		return netguard.ErrOwnUnknown.Error()
	case errors.Is(e.err, errSpeaksTLS):
		return errSpeaksTLS.Error()
	case errors.Is(e.err, errNotRedis):
		return errNotRedis.Error()
	case errors.Is(e.err, errTooLarge):
		return errTooLarge.Error()
	case errors.As(e.err, &answer):
		return e.answered(answer)
	case errors.As(e.err, &name) && name.IsNotFound:
		return "the host name was not found in DNS"
	case errors.As(e.err, &name):
		return "the DNS lookup of the host name failed"
	case errors.Is(e.err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(e.err, syscall.EHOSTUNREACH), errors.Is(e.err, syscall.ENETUNREACH):
		return "there is no route to the host"
	case errors.Is(e.err, context.Canceled):
		return "the attempt was canceled"
	case errors.Is(e.err, context.DeadlineExceeded), errors.As(e.err, &network) && network.Timeout():
		return "there was no answer in time"
	case errors.Is(e.err, io.EOF), errors.Is(e.err, io.ErrUnexpectedEOF), errors.Is(e.err, syscall.ECONNRESET),
		errors.Is(e.err, syscall.EPIPE):
		return "the server closed the connection"
	default:
		return errNotRedis.Error()
	}
}

// answers maps the codes of Redis errors that a user can resolve to messages.
var answers = map[string]string{
	"WRONGPASS":  "the username or the password is wrong",
	"NOAUTH":     "a password is required",
	"NOPERM":     "the user may not run a required command, or may not access the keys gameserver:*",
	"LOADING":    "Redis is loading its data",
	"BUSY":       "Redis is busy with a script",
	"OOM":        "Redis is out of memory",
	"READONLY":   "Redis is a read-only replica",
	"MASTERDOWN": "Redis is a replica without a master",
	"MISCONF":    "Redis cannot save its data",
	"MOVED":      "Redis is a cluster, which mock game servers cannot use",
}

func (e *redisError) answered(answer redis.Error) string {
	code, _, _ := strings.Cut(answer.Error(), " ")
	switch reason := answers[code]; {
	case reason != "":
		return fmt.Sprintf("%s (%s)", reason, code)
	case e.shared:
		return fmt.Sprintf("%.200s", answer.Error())
	default:
		return "the command was answered with an error"
	}
}

func redisProblem(doing string, err error) *base.Blocked {
	return &base.Blocked{Reason: v1alpha1.ReasonRedisUnavailable, Err: err, Message: fmt.Sprintf("while %s: %v; trying again", doing, err)}
}
