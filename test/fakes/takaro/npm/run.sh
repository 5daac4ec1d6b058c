#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the official npm client against the Takaro stand-in on a free loopback port. Ends with 0 only when the flow passed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
fake=
finish() {
  [ -z "$fake" ] || { kill "$fake" 2>/dev/null || true; wait "$fake" 2>/dev/null || true; }
  rm -rf "$work"
}
trap finish EXIT

npm ci --no-audit --no-fund --ignore-scripts
go build -o "$work/takaro-fake" ../cmd/takaro-fake

ADMIN_CLIENT_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export ADMIN_CLIENT_SECRET
"$work/takaro-fake" --listen 127.0.0.1:0 --admin-token "$ADMIN_CLIENT_SECRET" >"$work/out" &
fake=$!
for _ in $(seq 100); do
  [ -s "$work/out" ] && break
  kill -0 "$fake" || { echo "the stand-in did not start" >&2; exit 1; }
  sleep 0.1
done
TAKARO_HOST=$(head -n 1 "$work/out")
export TAKARO_HOST
[ -n "$TAKARO_HOST" ] || { echo "the stand-in printed no URL within 10 s" >&2; exit 1; }

timeout 120 node flow.mjs
