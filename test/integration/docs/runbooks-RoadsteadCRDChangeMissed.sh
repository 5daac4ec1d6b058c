# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/runbooks/RoadsteadCRDChangeMissed.md.

# before #diagnosis 1
kubectl apply -k artifacts/deploy/guard

# after
kubectl delete -k artifacts/deploy/guard
