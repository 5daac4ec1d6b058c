# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/runbooks/RoadsteadAPIServerDown.md.

# before #diagnosis 1
kubectl apply -f artifacts/deploy/monitoring/access.yaml

# after
kubectl delete -f artifacts/deploy/monitoring/access.yaml --ignore-not-found
