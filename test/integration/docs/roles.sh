# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/roles.md.

# before #bind-a-role 1
kubectl create namespace takaro-environment

# after
kubectl delete namespace takaro-environment
kubectl delete clusterrolebinding operators
kubectl delete clusterrole release-approver release-decider

# before #grant-decisions-on-one-approval 1
APPROVAL=crdschema-12345678-abc-breakingcrdchange NAME=ann

# after
kubectl delete clusterrole,clusterrolebinding approver:crdschema-12345678-abc-breakingcrdchange
kubectl delete clusterrolebinding approver:crdschema-12345678-abc-breakingcrdchange:viewer
