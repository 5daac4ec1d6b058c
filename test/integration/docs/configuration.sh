# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/configuration.md.

# before #secret-of-an-endpoint 1
echo token > admin-token

# after
kubectl delete secret takaro -n roadstead-system
