// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Results is the content of results.json; see the package comment.
type Results struct {
	Command  string    `json:"command"`
	Started  time.Time `json:"started"`
	Seconds  float64   `json:"seconds"`
	Short    bool      `json:"short"`
	Machine  Machine   `json:"machine"`
	Versions Versions  `json:"versions"`
	Rows     []Row     `json:"rows"`
}

// Machine describes the machine of the run.
type Machine struct {
	CPU        string  `json:"cpu"`
	Cores      int     `json:"cores"`
	MemoryGiB  float64 `json:"memoryGiB"`
	Kernel     string  `json:"kernel"`
	Go         string  `json:"go"`
	SyncMillis float64 `json:"syncMillis"`
}

// Versions are the versions of the compared programs.
type Versions struct {
	Roadstead  string `json:"roadstead"`
	Kubernetes string `json:"kubernetes"`
}

// Row is one line of the table.
type Row struct {
	Measure  string  `json:"measure"`
	Variant  string  `json:"variant"`
	Unit     string  `json:"unit"`
	Ours     *Spread `json:"ours,omitempty"`
	CRD      *Spread `json:"crd,omitempty"`
	Ratio    *Spread `json:"ratio,omitempty"`
	Goal     *Goal   `json:"goal,omitempty"`
	Holds    *bool   `json:"holds,omitempty"`
	Requests int     `json:"requests"`
	Failed   int     `json:"failed"`
	Problem  string  `json:"problem,omitempty"`
	Note     string  `json:"note,omitempty"`
}

// Goal is the goal for the median of a row.
type Goal struct {
	Of    string  `json:"of"`
	Op    string  `json:"op"`
	Value float64 `json:"value"`
}

// The columns of a goal.
const (
	ofRatio = "ratio"
	ofOurs  = "ours"
)

func atMost(of string, value float64) *Goal { return &Goal{Of: of, Op: "<=", Value: value} }
func atLeast(value float64) *Goal           { return &Goal{Of: ofRatio, Op: ">=", Value: value} }

// met reports whether a value meets the goal.
func (g Goal) met(value float64) bool {
	if g.Op == ">=" {
		return value >= g.Value
	}
	return value <= g.Value
}

// judge sets whether the goal is met, except for an invalid row.
func (r *Row) judge() {
	if r.Problem == "" && r.Failed > 0 {
		r.Problem = fmt.Sprintf("%d of %d requests failed", r.Failed, r.Requests)
	}
	column := r.Ratio
	if r.Goal != nil && r.Goal.Of == ofOurs {
		column = r.Ours
	}
	if r.Problem != "" || r.Goal == nil || column == nil {
		r.Holds = nil
		return
	}
	holds := r.Goal.met(column.Median)
	r.Holds = &holds
}

// readResults returns the results of an earlier run, or nothing if the file does not exist.
func readResults(path string) (*Results, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	results := &Results{}
	if err := json.Unmarshal(text, results); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return results, nil
}

func (r *Results) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
