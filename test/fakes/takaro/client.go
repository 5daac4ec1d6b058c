// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ControlClient calls the control paths of a stand-in that runs in another process
// (Options.Control, --control). Its methods are those of Server, with a context and the error of
// the call.
type ControlClient struct {
	base string
	http *http.Client
}

// NewControlClient returns a client of the stand-in at a URL. A nil httpClient means
// http.DefaultClient.
func NewControlClient(baseURL string, httpClient *http.Client) *ControlClient {
	if httpClient == nil {
		httpClient = http.DefaultClient
	}
	return &ControlClient{base: strings.TrimSuffix(baseURL, "/"), http: httpClient}
}

// InjectFault is Server.InjectFault.
func (c *ControlClient) InjectFault(ctx context.Context, f Fault) (id string, err error) {
	var out faultJSON
	err = c.do(ctx, http.MethodPost, "faults", wireFault(f), &out)
	return out.ID, err
}

// RemoveFault ends one fault. It returns an error if no fault has this id any more.
func (c *ControlClient) RemoveFault(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "faults/"+url.PathEscape(id), nil, nil)
}

// ClearFaults is Server.ClearFaults.
func (c *ControlClient) ClearFaults(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "faults", nil, nil)
}

// Faults is Server.Faults.
func (c *ControlClient) Faults(ctx context.Context) ([]Fault, error) {
	var list []faultJSON
	if err := c.do(ctx, http.MethodGet, "faults", nil, &list); err != nil {
		return nil, err
	}
	out := make([]Fault, 0, len(list))
	for _, in := range list {
		f, err := in.fault()
		if err != nil {
			return nil, err
		}
		f.ID = in.ID
		out = append(out, f)
	}
	return out, nil
}

// SetCreateTime is Server.SetCreateTime.
func (c *ControlClient) SetCreateTime(ctx context.Context, t CreateTime) error {
	return c.do(ctx, http.MethodPut, "create-time", createTimeJSON{Base: t.Base.String(), PerParallel: t.PerParallel.String()}, nil)
}

// SaveSnapshot is Server.SaveSnapshot.
func (c *ControlClient) SaveSnapshot(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodPost, "snapshot", snapshotJSON{Name: name}, nil)
}

// RestoreSnapshot is Server.RestoreSnapshot.
func (c *ControlClient) RestoreSnapshot(ctx context.Context, name string, keepIdentities bool) error {
	return c.do(ctx, http.MethodPost, "restore", snapshotJSON{Name: name, KeepIdentities: keepIdentities}, nil)
}

// SwapDatabase is Server.SwapDatabase.
func (c *ControlClient) SwapDatabase(ctx context.Context, name string, keepIdentities bool) (former, current string, err error) {
	var out swapJSON
	err = c.do(ctx, http.MethodPost, "swap", swapJSON{Database: name, KeepIdentities: keepIdentities}, &out)
	return out.Former, out.Database, err
}

// EmptyDatabase is Server.EmptyDatabase.
func (c *ControlClient) EmptyDatabase(ctx context.Context, keepIdentities bool) error {
	return c.do(ctx, http.MethodPost, "empty", map[string]bool{"keepIdentities": keepIdentities}, nil)
}

// SetRealism is Server.SetRealism.
func (c *ControlClient) SetRealism(ctx context.Context, r Realism) error {
	return c.do(ctx, http.MethodPut, "realism", r, nil)
}

// Realism is Server.Realism.
func (c *ControlClient) Realism(ctx context.Context) (out Realism, err error) {
	err = c.do(ctx, http.MethodGet, "realism", nil, &out)
	return out, err
}

// AdvanceClock is Server.AdvanceClock.
func (c *ControlClient) AdvanceClock(ctx context.Context, by time.Duration) error {
	return c.do(ctx, http.MethodPost, "clock", clockJSON{Advance: by.String()}, nil)
}

// SyncConnector is Server.SyncConnector.
func (c *ControlClient) SyncConnector(ctx context.Context, unreadable bool) (forgotten int, err error) {
	var out roundJSON
	err = c.do(ctx, http.MethodPost, "sync", syncJSON{Unreadable: unreadable}, &out)
	return out.Forgotten, err
}

// PurgeGameServers is Server.PurgeGameServers.
func (c *ControlClient) PurgeGameServers(ctx context.Context) (purged int, err error) {
	var out roundJSON
	err = c.do(ctx, http.MethodPost, "purge", nil, &out)
	return out.Purged, err
}

// ConnectorCounts is Server.ConnectorCounts.
func (c *ControlClient) ConnectorCounts(ctx context.Context) (out ConnectorCounts, err error) {
	err = c.do(ctx, http.MethodGet, "connector", nil, &out)
	return out, err
}

// PlantStranger is Server.PlantStranger. It returns the id of the domain.
func (c *ControlClient) PlantStranger(ctx context.Context, in Stranger) (id string, err error) {
	var out struct{ ID string }
	err = c.do(ctx, http.MethodPost, "stranger", strangerJSON(in), &out)
	return out.ID, err
}

// do sends one call; out may be nil. The error of a refused call contains the status and the text
// of the response.
func (c *ControlClient) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the call of control path %s: %w", path, err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+controlPrefix+path, body)
	if err != nil {
		return fmt.Errorf("call control path %s: %w", path, err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("call control path %s: %w", path, err)
	}
	defer func() { _ = res.Body.Close() }() // the body has been read, so an error of Close has no effect
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return fmt.Errorf("read the answer of control path %s: %w", path, err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("control path %s: %s: %s", path, res.Status, strings.TrimSpace(string(raw)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("decode the answer of control path %s: %w", path, err)
	}
	return nil
}
