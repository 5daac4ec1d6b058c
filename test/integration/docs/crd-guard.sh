# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/crd-guard.md.

# after
kubectl delete -k artifacts/deploy/crdguard-live --ignore-not-found
kubectl delete -k artifacts/deploy/guard --ignore-not-found
helm uninstall gadgets --ignore-not-found
kubectl delete crd widgets.example.com --ignore-not-found

# before #read-a-rejection 1
kubectl apply -f artifacts/examples/crd-guard/1-installed.yaml
kubectl wait --for=condition=Established crd/widgets.example.com
kubectl apply -f artifacts/examples/crd-guard/2-objects.yaml
grep -v color artifacts/examples/crd-guard/1-installed.yaml > crd.yaml
helm install gadgets artifacts/examples/crd-guard/chart
while kubectl apply --dry-run=server -f crd.yaml; do sleep 0.2; done

# before #delete-a-crd 1
kubectl annotate crd widgets.example.com roadstead.dev/crd-policy-
until kubectl get --raw /metrics | grep 'apiserver_resource_objects{.*resource="widgets".* 2$'; do sleep 0.2; done

# before #stored-versions 1
kubectl patch crd widgets.example.com --type=json -p '[{"op": "copy", "from": "/spec/versions/0", "path": "/spec/versions/1"},
  {"op": "replace", "path": "/spec/versions/1/name", "value": "v2"}, {"op": "replace", "path": "/spec/versions/0/storage", "value": false}]'
kubectl wait crd/widgets.example.com --for=jsonpath='{.status.storedVersions[1]}'=v2
