// SPDX-License-Identifier: Apache-2.0

package storeidentity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

// ErrInventoryIncomplete means that an inventory ended before all stored objects were listed. What was read of it must not be
// used to conclude that an object is not stored.
var ErrInventoryIncomplete = errors.New("the inventory of the store is incomplete")

// ReadInventory reads the inventory of the store that the server observes and calls each for every object. An error of each
// ends the reading and is returned with the header. client may be of any API group; its requests are not limited to a path.
func ReadInventory(ctx context.Context, client rest.Interface, each func(InventoryObject) error) (InventoryHeader, error) {
	body, err := open(ctx, client, InventoryPath)
	if apierrors.IsNotFound(err) {
		body, err = open(ctx, client, TakaroInventoryPath)
	}
	if err != nil {
		return InventoryHeader{}, fmt.Errorf("read the inventory of the store: %w", err)
	}
	defer func() { _ = body.Close() }()
	return ParseInventory(body, each)
}

func open(ctx context.Context, client rest.Interface, path string) (io.ReadCloser, error) {
	return client.Get().AbsPath(path).SetHeader("Accept", "application/json").Stream(ctx)
}

// ParseInventory reads an inventory as ReadInventory does.
func ParseInventory(body io.Reader, each func(InventoryObject) error) (InventoryHeader, error) {
	lines := json.NewDecoder(body)
	var header InventoryHeader
	if err := lines.Decode(&header); err != nil {
		return InventoryHeader{}, incomplete(err)
	}
	for count := 0; ; count++ {
		var line struct {
			InventoryObject
			// Count is only in the last line.
			Count *int `json:"count"`
		}
		if err := lines.Decode(&line); err != nil {
			return header, incomplete(err)
		}
		if line.Count == nil {
			if err := each(line.InventoryObject); err != nil {
				return header, err
			}
			continue
		}
		if *line.Count != count {
			return header, fmt.Errorf("%w: it lists %d objects of %d", ErrInventoryIncomplete, count, *line.Count)
		}
		if lines.More() {
			return header, fmt.Errorf("%w: it continues after its last line", ErrInventoryIncomplete)
		}
		return header, nil
	}
}

func incomplete(cause error) error {
	if errors.Is(cause, io.EOF) {
		cause = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrInventoryIncomplete, cause)
}
