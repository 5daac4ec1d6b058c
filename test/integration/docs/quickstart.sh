# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/quickstart.md.

# before #run-the-demo 2
kubectl apply -f environment.yaml
kubectl wait --for=condition=Ready domains,mockservers,users.takaro.roadstead.dev --all -n takaro-environment --timeout=60s

# after
kubectl delete secret takaro -n roadstead-system --ignore-not-found
kubectl delete namespace takaro-environment --ignore-not-found

# before #configure-a-takaro-endpoint 1
kubectl delete secret takaro -n roadstead-system --ignore-not-found
echo token > admin-token

# before #create-the-first-environment 1
kubectl delete secret takaro -n roadstead-system
kubectl create secret generic takaro -n roadstead-system --from-literal=url=$TAKARO --from-literal=connectorUrl=$CONNECTOR --from-literal=adminToken=$TAKARO_TOKEN
kubectl label secret takaro -n roadstead-system roadstead.dev/takaro-endpoint=true
awk '/^### Create the first/ {s = 1} /^### Enable the/ {s = 0} s && /^```yaml/ {f = 1; next} /^```$/ {f = 0} f' docs/quickstart.md |
  sed "s|https://api.takaro.example|$TAKARO|" > first.yaml

# after
kubectl delete -k artifacts/deploy/guard --ignore-not-found
