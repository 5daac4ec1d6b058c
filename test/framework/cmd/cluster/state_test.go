// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/cluster"
)

func running(id identity, name string) runningProcess {
	return runningProcess{identity: id, Name: name, Address: "127.0.0.1:1", Log: "/logs/" + name + ".log"}
}

func TestStateIsReadAsItWasSaved(t *testing.T) {
	dir := t.TempDir()
	none, err := loadState(dir)
	require.NoError(t, err)
	require.Nil(t, none)
	want := &state{Ready: true, Kubeconfig: "k", Kubectl: "l", Processes: []runningProcess{running(identity{1, 2, "b"}, "etcd")}}
	require.NoError(t, want.save(dir))
	got, err := loadState(dir)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, os.WriteFile(statePath(dir), []byte("{"), 0o600))
	_, err = loadState(dir)
	require.ErrorContains(t, err, "state.json is not readable")
}

func TestDownEndsWhatTheStateNamesAndOnlyThat(t *testing.T) {
	dir := t.TempDir()
	etcd, etcdDone := sleeper(t, polite)
	kwok, kwokDone := sleeper(t, polite)
	foreign, _ := sleeper(t, polite)
	reused := foreign
	reused.StartTicks--
	s := &state{Ready: true, Processes: []runningProcess{
		running(etcd, cluster.Etcd), running(reused, cluster.APIServer), running(kwok, cluster.Kwok),
	}}
	require.NoError(t, s.save(dir))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "logs"), 0o755))

	var out bytes.Buffer
	require.NoError(t, runDown(t.Context(), &out, dir))
	require.Contains(t, out.String(), "has ended")
	for _, done := range []<-chan error{etcdDone, kwokDone} {
		require.Error(t, <-done)
	}
	alive, err := foreign.alive()
	require.NoError(t, err)
	require.True(t, alive)
	require.DirExists(t, filepath.Join(dir, "logs"))

	out.Reset()
	require.NoError(t, runDown(t.Context(), &out, dir))
	require.Contains(t, out.String(), "No cluster runs")
}

func TestUpFindsARunningCluster(t *testing.T) {
	dir := t.TempDir()
	id, _ := sleeper(t, polite)
	s := &state{Ready: true, Kubeconfig: "/the/kubeconfig", Processes: []runningProcess{running(id, cluster.Etcd)}}
	require.NoError(t, s.save(dir))
	var out bytes.Buffer
	require.NoError(t, runUp(t.Context(), &out, upOptions{dir: dir}))
	require.Contains(t, out.String(), "already runs")
	require.Contains(t, out.String(), "/the/kubeconfig")
}

func TestUpRefusesAPartOfACluster(t *testing.T) {
	id, done := sleeper(t, polite)
	lives := running(id, cluster.Etcd)
	gone := running(identity{PID: id.PID, StartTicks: 1, BootID: id.BootID}, cluster.APIServer)
	for name, s := range map[string]*state{
		"one has ended":   {Ready: true, Processes: []runningProcess{lives, gone}},
		"never got ready": {Processes: []runningProcess{lives}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, s.save(dir))
			err := runUp(t.Context(), &bytes.Buffer{}, upOptions{dir: dir})
			require.ErrorContains(t, err, "a part of the cluster")
			if s.Ready {
				require.ErrorContains(t, err, "kube-apiserver has ended (log: /logs/kube-apiserver.log)")
			}
		})
	}
	require.NoError(t, id.end(t.Context(), time.Minute))
	require.Error(t, <-done)
}

func TestUpThatFailsLeavesNoState(t *testing.T) {
	dir, tools := t.TempDir(), t.TempDir()
	for name, script := range map[string]string{cluster.Etcd: "echo no luck; exit 1", cluster.APIServer: "", "kubectl": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	err := runCommand(t, "up", "--minimal", "--dir", dir, "--tools", tools)
	require.ErrorContains(t, err, "no luck")
	require.NoFileExists(t, statePath(dir))
	require.NoError(t, runCommand(t, "down", "--dir", dir))
}

func runCommand(t *testing.T, args ...string) error {
	t.Helper()
	c := command()
	c.SetArgs(args)
	c.SetOut(&bytes.Buffer{})
	return c.ExecuteContext(t.Context())
}

func TestOneCommandAtATime(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir)
	require.NoError(t, err)
	second := make(chan error)
	go func() {
		unlock, err := lock(dir)
		if err == nil {
			unlock()
		}
		second <- err
	}()
	select {
	case err := <-second:
		t.Fatalf("two commands have the lock (%v)", err)
	case <-time.After(50 * time.Millisecond):
	}
	unlock()
	require.NoError(t, <-second)
}
