#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Sees that redis-server is there, which mock game servers keep their state in, and redis-cli, which docs use: from PATH, else
# installed where that may be done without a confirmation.
set -euo pipefail

if command -v redis-server >/dev/null && command -v redis-cli >/dev/null; then
  exit 0
fi
if [[ "$(id -u)" == 0 ]] && command -v apt-get >/dev/null; then
  echo "hack/tools: installing redis-server and redis-cli" >&2
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq redis-server redis-tools >/dev/null
  exit 0
fi
echo "redis-server or redis-cli is missing. Run: sudo apt-get install -y redis-server redis-tools" >&2
exit 1
