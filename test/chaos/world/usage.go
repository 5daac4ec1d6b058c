// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"

	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/framework/process"
)

// The memory limits that the manifests set, in bytes.
const (
	serverMemory     = 1 << 30
	controllerMemory = 2 << 30
)

// goroutines matches the metric with the number of goroutines.
var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// sample records the peak memory of the programs so far.
func (w *World) sample() {
	for _, k := range append(w.Servers(), w.Controllers()...) {
		// A process that has ended in the meantime was sampled before.
		if peak, err := process.PeakMemory(k.PID()); err == nil {
			w.mu.Lock()
			w.peaks[k.Name()] = max(w.peaks[k.Name()], peak)
			w.mu.Unlock()
		}
	}
}

// Usages returns the resource usage of the running programs.
func (w *World) Usages(ctx context.Context) ([]check.Usage, error) {
	w.sample()
	var all []check.Usage
	for _, k := range w.Servers() {
		config := w.Host.AdminConfig()
		config.Insecure, config.CAData, config.CAFile = true, nil, "" // it uses its own CA
		usage, err := w.usage(ctx, k, config, "https://")
		if err != nil {
			return nil, err
		}
		usage.Limit = serverMemory
		all = append(all, usage)
	}
	for _, k := range w.Controllers() {
		usage, err := w.usage(ctx, k, &rest.Config{}, "http://")
		if err != nil {
			return nil, err
		}
		usage.Limit = controllerMemory
		all = append(all, usage)
	}
	return all, nil
}

func (w *World) usage(ctx context.Context, k *Kept, config *rest.Config, scheme string) (check.Usage, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return check.Usage{}, err
	}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+k.Address()+"/metrics", nil)
	if err != nil {
		return check.Usage{}, err
	}
	response, err := client.Do(request)
	if err != nil {
		return check.Usage{}, err
	}
	defer func() { _ = response.Body.Close() }()
	metrics, err := io.ReadAll(response.Body)
	if err != nil {
		return check.Usage{}, err
	}
	found := goroutines.FindSubmatch(metrics)
	if found == nil {
		return check.Usage{}, fmt.Errorf("%s answers %d without go_goroutines", k.Name(), response.StatusCode)
	}
	count, err := strconv.Atoi(string(found[1]))
	if err != nil {
		return check.Usage{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return check.Usage{Program: k.Name(), Peak: w.peaks[k.Name()], Goroutines: count}, nil
}
