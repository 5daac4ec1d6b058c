# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/runbooks/RoadsteadStoreUnreachable.md.

# before #diagnosis 1
kubectl create configmap roadstead-etcd -n roadstead-system --from-literal=servers=https://etcd-0.example:2379

# after
kubectl delete configmap roadstead-etcd -n roadstead-system
