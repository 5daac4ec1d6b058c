# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/troubleshooting.md.

# before #troubleshooting 1
kubectl create namespace demo
kubectl create secret generic tok -n demo --from-literal=adminToken=$TAKARO_TOKEN
printf %s "$TAKARO_TOKEN" > admin-token
curl -sf $TAKARO/__control/domains -d '{"name": "community", "externalReference": "community-8"}'
kubectl apply -f - <<EOF
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: team-a, namespace: demo}
spec: {takaroApiUrl: $TAKARO, credentialsSecretRef: {name: tok}}
---
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: community, namespace: demo}
spec: {takaroApiUrl: $TAKARO, credentialsSecretRef: {name: tok}, externalReferenceId: community-8}
EOF
kubectl wait --for=condition=Ready domain/team-a -n demo --timeout=60s

# after
[ ! -f port ] || kubectl patch apiservice v1alpha1.takaro.roadstead.dev --type=merge -p '{"spec": {"service": {"port": '$(cat port)'}}}'
kubectl wait --for=condition=Available apiservice/v1alpha1.takaro.roadstead.dev
curl -sX DELETE $TAKARO/__control/faults
kubectl delete namespace demo stuck --ignore-not-found
kubectl delete crdschemas --all

# before #secretnametaken 1
password=$(kubectl get secret team-a-root -n demo -o jsonpath='{.data.password}' | base64 -d)
domain=$(kubectl get domain team-a -n demo -o jsonpath='{.status.domainId}')

# before #rootpasswordlost 1
kubectl create secret generic team-a-root -n demo --from-literal=password=$password --from-literal=domainId=$domain

# before #nothingtocompare 1
schema() { # NAME FILE AGAINST: ann creates a CRDSchema and requests its approval
  kubectl create --as=ann --as-group=system:masters -f - <<EOF
apiVersion: release.roadstead.dev/v1alpha1
kind: CRDSchema
metadata: {name: $1, annotations: {roadstead.dev/request-approval: nobody uses it}}
spec:
  againstRef: $3
  definition:
$(sed 's/^/    /' artifacts/examples/crd-guard/$2)
EOF
}
schema first 3-safe.yaml null
schema second 4-breaking.yaml '{name: first}'

# before #approved 1
until [ -n "$(kubectl get approvals --field-selector status.decision=Pending -o name)" ]; do sleep 0.2; done

# before #a-namespace-stays-terminating 1
kubectl create namespace stuck
kubectl create secret generic tok -n stuck --from-literal=adminToken=$TAKARO_TOKEN
kubectl apply -f - <<EOF
apiVersion: takaro.roadstead.dev/v1alpha1
kind: Domain
metadata: {name: team-b, namespace: stuck}
spec: {takaroApiUrl: $TAKARO, credentialsSecretRef: {name: tok}}
EOF
kubectl wait --for=condition=Ready domain/team-b -n stuck --timeout=60s
curl -sf $TAKARO/__control/faults -d '{"kind": "429", "method": "DELETE", "path": "/domain/*", "retryAfter": "1s"}'
kubectl delete namespace stuck --wait=false

# before #the-server-is-currently-unable-to-handle-the-request 1
curl -sX DELETE $TAKARO/__control/faults
kubectl wait --for=delete namespace/stuck --timeout=60s
kubectl get apiservice v1alpha1.takaro.roadstead.dev -o jsonpath='{.spec.service.port}' > port
kubectl patch apiservice v1alpha1.takaro.roadstead.dev --type=merge -p '{"spec": {"service": {"port": 1}}}'
kubectl wait --for=condition=Available=false apiservice/v1alpha1.takaro.roadstead.dev

# before #the-store-holds-objects-that-were-not-written-with-any-seed 2
head -c 32 /dev/urandom | base64 > seed-from-the-backup

# before #apiservice-is-not-available 2
kubectl patch apiservice v1alpha1.takaro.roadstead.dev --type=merge -p '{"spec": {"service": {"port": '$(cat port)'}}}'
kubectl wait --for=condition=Available apiservice/v1alpha1.takaro.roadstead.dev

# before #customresourcedefinitions-of-roadsteads-group 1
sed 's/widgets/things/; s/example.com/takaro.roadstead.dev/; s/singular: widget, kind: Widget/singular: thing, kind: Thing/' artifacts/examples/crd-guard/1-installed.yaml |
  sed 's/plural: widgets/plural: things/' > things.yaml
kubectl apply -f things.yaml

# after
kubectl delete crd things.takaro.roadstead.dev --ignore-not-found

# before #other-tools-fail-while-the-server-is-down 1
kubectl get apiservice v1alpha1.takaro.roadstead.dev -o yaml | sed '/^  \(resourceVersion\|uid\|creationTimestamp\):/d' > apiservice.yaml

# after #other-tools-fail-while-the-server-is-down 1
kubectl create -f apiservice.yaml
kubectl wait --for=condition=Available apiservice/v1alpha1.takaro.roadstead.dev
