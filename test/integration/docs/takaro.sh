# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/takaro.md.

# after
kubectl delete -k artifacts/deploy/redis --ignore-not-found
kubectl delete secret roadstead-redis -n roadstead-system --ignore-not-found

# before #use-your-own-redis 1
redis-cli() { command redis-cli -e -h "$REDIS_HOST" -p "$REDIS_PORT" "$@"; }

# after
redis-cli -e -h "$REDIS_HOST" -p "$REDIS_PORT" ACL DELUSER roadstead-controller
kubectl delete secret redis -n roadstead-system --ignore-not-found

# before #delete-domains-that-were-left-behind 1
printf %s "$TAKARO_TOKEN" > admin-token
# The simulated Takaro is on loopback.
roadstead-controller() { command roadstead-controller "$@" --allow-loopback; }
