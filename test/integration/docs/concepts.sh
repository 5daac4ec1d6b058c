# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/concepts.md.

# before #conditions 1
kubectl apply -f environment.yaml

# after
kubectl delete domains.takaro.roadstead.dev --all -n takaro-environment
kubectl delete namespace takaro-environment
