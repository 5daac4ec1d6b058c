// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// marksFolder is below the prefix of the objects and holds the marks. Its name cannot be the name of an API group.
const marksFolder = "/__store/"

// Key returns the key of the epoch in a store whose objects are below the prefix.
func Key(prefix string) string { return prefix + marksFolder + "epoch" }

// TickKey returns the key of the tick in a store whose objects are below the prefix.
func TickKey(prefix string) string { return prefix + marksFolder + "tick" }

// MarksRange returns the first key of the range that includes the epoch and the tick, and the end of that range.
func MarksRange(prefix string) (key, end string) {
	key = prefix + marksFolder
	return key, key[:len(key)-1] + string('/'+1)
}

// Mark is the value of the epoch key. It is written at the first start and when a store is accepted, never
// otherwise.
type Mark struct {
	// StoreID is the random id of the store.
	StoreID string `json:"storeID"`
	// Epoch is at least 1 and rises each time an administrator accepts a store.
	Epoch int64 `json:"epoch"`
	// Nonce is that of the request which created the epoch. It differs for each epoch.
	Nonce string `json:"nonce"`
}

// Encode returns the value as stored.
func (m Mark) Encode() string {
	value, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("encode a struct of strings and numbers: %v", err))
	}
	return string(value)
}

// String returns the store id and the epoch for messages.
func (m Mark) String() string { return m.StoreID + "/" + strconv.FormatInt(m.Epoch, 10) }

// ParseMark reads what Encode returns. A mark without a store id or with an epoch below 1 is an error.
func ParseMark(value []byte) (Mark, error) {
	var mark Mark
	if err := json.Unmarshal(value, &mark); err != nil {
		return Mark{}, fmt.Errorf("invalid epoch: %w", err)
	}
	if mark.StoreID == "" {
		return Mark{}, errors.New("invalid epoch: storeID is empty")
	}
	if mark.Epoch < 1 {
		return Mark{}, fmt.Errorf("invalid epoch: epoch is %d, must be at least 1", mark.Epoch)
	}
	return mark, nil
}

// EncodeTick returns the value of the tick key.
func EncodeTick(tick int64) string { return strconv.FormatInt(tick, 10) }

// ParseTick reads what EncodeTick returns. A tick below 1 is an error.
func ParseTick(value []byte) (int64, error) {
	tick, err := strconv.ParseInt(string(value), 10, 64)
	if err == nil && tick < 1 {
		err = fmt.Errorf("%d, must be at least 1", tick)
	}
	if err != nil {
		return 0, fmt.Errorf("invalid tick: %w", err)
	}
	return tick, nil
}
