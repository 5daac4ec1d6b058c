# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/README.md.

# after
kubectl delete -k artifacts/deploy/guard --ignore-not-found
