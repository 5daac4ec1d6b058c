# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/migration/release-service.md.

# before #migrate 1
curl() { echo '[{"name": "cert-manager", "namespace": "cert-manager", "chartRepository": "https://charts.jetstack.io", "chartName": "cert-manager"}]'; }
TOKEN=none SERVICE=https://service.example

# after
kubectl delete operators cert-manager
