// SPDX-License-Identifier: Apache-2.0

package podplayer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// keptLines bounds the log of one container.
const keptLines = 5000

// logBook stores the output of containers, across restarts and after the end of their pods.
type logBook struct {
	mu    sync.Mutex
	lines map[string][]string
	// dropped counts the lines that are no longer stored.
	dropped map[string]int
}

// since returns the lines after the first n lines ever printed, and the current number of lines.
func (b *logBook) since(key string, n int) (lines []string, now int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept, dropped := b.lines[key], b.dropped[key]
	return slices.Clone(kept[min(max(n-dropped, 0), len(kept)):]), dropped + len(kept)
}

func logKey(namespace, pod, container string) string {
	return namespace + "/" + pod + "/" + container
}

func (b *logBook) printf(key, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := append(b.lines[key], strings.Split(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"), "\n")...)
	if len(lines) > 2*keptLines {
		if b.dropped == nil {
			b.dropped = map[string]int{}
		}
		b.dropped[key] += len(lines) - keptLines
		lines = slices.Clone(lines[len(lines)-keptLines:])
	}
	b.lines[key] = lines
}

// Logs returns the output of a container over all its runs and all pods of this name, oldest line
// first. It keeps at least the last 5,000 lines. An empty container name means the only container
// of the pods with that name.
func (p *Player) Logs(namespace, pod, container string) []string {
	p.logs.mu.Lock()
	defer p.logs.mu.Unlock()
	if container != "" {
		return slices.Clone(p.logs.lines[logKey(namespace, pod, container)])
	}
	var out []string
	for key, lines := range p.logs.lines {
		if strings.HasPrefix(key, logKey(namespace, pod, "")) {
			out = append(out, lines...)
		}
	}
	return out
}
