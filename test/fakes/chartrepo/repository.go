// SPDX-License-Identifier: Apache-2.0

package chartrepo

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// Repository serves charts as "helm repo index" lays them out.
type Repository struct {
	front

	mu     sync.Mutex
	charts map[string][]served // by name, in the order in which they were added
}

type served struct {
	version, digest, url string
	archive              []byte
}

// NewRepository starts a repository that serves TLS. Stop it with Close.
func NewRepository(config *tls.Config) (*Repository, error) {
	r := &Repository{charts: map[string][]served{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /index.yaml", r.serveIndex)
	mux.HandleFunc("GET /archives/{file}", r.serveArchive)
	return r, r.serve(config, mux)
}

// URL returns the URL of the repository.
func (r *Repository) URL() string { return "https://" + r.Host() }

// Add packs a chart and serves it, replacing a chart of the same name and version. It returns the
// digest of the archive.
func (r *Repository) Add(chart Chart) (digest string, err error) {
	archive, err := Pack(chart)
	if err != nil {
		return "", err
	}
	return r.AddArchive(chart.Name, chart.Version, archive), nil
}

// AddArchive serves an archive unchanged and returns its digest.
func (r *Repository) AddArchive(name, version string, archive []byte) (digest string) {
	sum := sha256.Sum256(archive)
	one := served{
		version: version, digest: hex.EncodeToString(sum[:]), archive: archive,
		url: "archives/" + name + "-" + strings.ReplaceAll(version, "+", "-") + ".tgz",
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(name, version)
	r.charts[name] = append(r.charts[name], one)
	return "sha256:" + one.digest
}

// Announce changes the digest and the URL in the index entry of an existing chart. An empty value
// keeps the former one.
func (r *Repository) Announce(name, version, digest, url string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.charts[name] {
		one := &r.charts[name][i]
		if one.version != version {
			continue
		}
		if digest != "" {
			one.digest = digest
		}
		if url != "" {
			one.url = url
		}
		return nil
	}
	return fmt.Errorf("chartrepo: there is no chart %s %s", name, version)
}

// Remove stops serving a version.
func (r *Repository) Remove(name, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(name, version)
}

func (r *Repository) drop(name, version string) {
	r.charts[name] = slices.DeleteFunc(r.charts[name], func(one served) bool { return one.version == version })
	if len(r.charts[name]) == 0 {
		delete(r.charts, name)
	}
}

func (r *Repository) serveIndex(out http.ResponseWriter, in *http.Request) {
	content, err := r.index()
	if err != nil {
		http.Error(out, err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(content)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	out.Header().Set("ETag", etag)
	if in.Header.Get("If-None-Match") == etag {
		out.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = out.Write(content)
}

func (r *Repository) index() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entries := map[string][]map[string]any{}
	for name, versions := range r.charts {
		for _, one := range versions {
			entries[name] = append(entries[name], map[string]any{
				"apiVersion": "v2", "name": name, "version": one.version, "digest": one.digest, "urls": []string{one.url},
				"created": "2026-01-02T03:04:05.678901234Z", "type": "application",
			})
		}
	}
	return yaml.Marshal(map[string]any{"apiVersion": "v1", "generated": "2026-01-02T03:04:05.678901234Z", "entries": entries})
}

func (r *Repository) serveArchive(out http.ResponseWriter, in *http.Request) {
	r.mu.Lock()
	var found []byte
	for name, versions := range r.charts {
		for _, one := range versions {
			if in.PathValue("file") == name+"-"+strings.ReplaceAll(one.version, "+", "-")+".tgz" {
				found = one.archive
			}
		}
	}
	r.mu.Unlock()
	if found == nil {
		http.NotFound(out, in)
		return
	}
	out.Header().Set("Content-Type", "application/gzip")
	_, _ = out.Write(found)
}
