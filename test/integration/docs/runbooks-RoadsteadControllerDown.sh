# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/runbooks/RoadsteadControllerDown.md.

# before #diagnosis 1
kubectl create deployment roadstead-controller -n roadstead-system --image=registry.example.com/none --replicas=0

# after
kubectl delete deployment roadstead-controller -n roadstead-system
