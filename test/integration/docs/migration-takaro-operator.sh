# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/migration/takaro-operator.md.

# before #move-a-running-environment 1
# An old operator with an environment: its CRDs and objects, and in Takaro what it made. The e-mail is of this page alone:
# Takaro keeps the password of one that it knows.
kubectl create secret generic takaro -n roadstead-system --from-literal=url=$TAKARO --from-literal=connectorUrl=$CONNECTOR --from-literal=adminToken=$TAKARO_TOKEN
kubectl label secret takaro -n roadstead-system roadstead.dev/takaro-endpoint=true
for name in old games before; do kubectl create namespace $name; done
kubectl create deployment old -n old --image=registry.example.com/old
kubectl create deployment busy -n games --image=registry.example.com/busy
for namespace in before games; do kubectl create secret generic alice-credentials -n $namespace --from-literal=password=correct-horse; done
kubectl apply -f - <<EOF
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: arena, namespace: before}
spec: {name: Arena, takaroApiUrl: $TAKARO, externalReferenceId: arena-of-team-a, deletionPolicy: Retain}
---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: User
metadata: {name: alice, namespace: before}
spec: {name: Alice, email: alice@games.example, domainRef: {name: arena}, roles: [Admin], passwordSecretRef: {name: alice-credentials}, deletionPolicy: Retain}
EOF
kubectl wait --for=condition=Ready domains.takaro.roadstead.dev/arena users.takaro.roadstead.dev/alice -n before --timeout=60s
kubectl delete namespace before
for kind in Domain MockServer User; do
  kubectl apply -f - <<EOF
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${kind,,}s.takaros.example.com}
spec:
  group: takaros.example.com
  scope: Namespaced
  names: {plural: ${kind,,}s, singular: ${kind,,}, kind: $kind}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
EOF
  kubectl wait --for=condition=Established crd/${kind,,}s.takaros.example.com
done
kubectl apply -f - <<EOF
apiVersion: takaros.example.com/v1
kind: Domain
metadata: {name: arena, namespace: games, finalizers: [takaros.example.com/domain]}
spec: {externalReferenceId: arena-of-team-a}
EOF
kubectl apply -f - <<EOF
apiVersion: v1
kind: Secret
metadata:
  name: arena-credentials
  namespace: games
  ownerReferences:
    - {apiVersion: takaros.example.com/v1, kind: Domain, name: arena, uid: $(kubectl get domains.takaros.example.com arena -n games -o jsonpath='{.metadata.uid}')}
EOF

# after
kubectl delete mockservers.takaro.roadstead.dev,users.takaro.roadstead.dev,domains.takaro.roadstead.dev --all -n games --ignore-not-found
kubectl delete namespace games old before --ignore-not-found
kubectl delete crd domains.takaros.example.com mockservers.takaros.example.com users.takaros.example.com --ignore-not-found
# Wait until discovery no longer contains the old kinds. Without a group, kubectl uses them instead
# of Roadstead's.
while kubectl api-resources --api-group=takaros.example.com -o name | grep -q .; do sleep 0.2; done
kubectl delete secret takaro -n roadstead-system --ignore-not-found

# before #move-a-running-environment 5
# The manifests of steps 5 and 6, and that of a MockServer.
awk '/^   ```yaml/ {f = 1; print "---"; next} /^   ```$/ {f = 0} f {sub(/^   /, ""); print}' docs/migration/takaro-operator.md |
  sed "s|https://api.takaro.example|$TAKARO|" | kubectl apply -f -
kubectl apply -n games -f - <<EOF
apiVersion: takaro.roadstead.dev/v1alpha1
kind: MockServer
metadata: {name: busy}
spec: {domainRef: {name: arena}, replicas: 2}
EOF

# after #move-a-running-environment 7
kubectl get secret arena-credentials -n games
test "$(kubectl get users.takaro.roadstead.dev alice -n games -o jsonpath='{.status.conditions[?(@.type=="PasswordValid")].status}')" = True
