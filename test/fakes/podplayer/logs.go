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

// logBook keeps what containers print, over their restarts and after their pod's end.
type logBook struct {
	mu    sync.Mutex
	lines map[string][]string
	// dropped counts the lines that are not kept any more.
	dropped map[string]int
}

// since gives the lines after the first n ones that were ever printed, and how many there are now.
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

// Logs gives what a container printed, over all its runs and all pods of this name, oldest line first; the last 5,000 lines
// at least. An empty container name means the only one of the pods with that name.
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
