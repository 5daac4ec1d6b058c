# SPDX-License-Identifier: Apache-2.0
#
# Set-up for the commands of docs/kubectl-plugin.md.

# before #status 1
environment() { # NAMESPACE: prepares the example for the namespace and makes it the default namespace
  kubectl config set-context --current --namespace=$1
  sed "s/takaro-environment/$1/; s/@example/@$1.example/" environment.yaml > $1.yaml
}
environment refused
curl -sf $TAKARO/__control/faults -d '{"kind": "token-revoked"}'
kubectl apply -f refused.yaml

# after
[ ! -f port ] || kubectl patch apiservice v1alpha1.takaro.roadstead.dev --type=merge -p '{"spec": {"service": {"port": '$(cat port)'}}}'
kubectl wait --for=condition=Available apiservice/v1alpha1.takaro.roadstead.dev
curl -sX DELETE $TAKARO/__control/faults
kubectl delete secret a-redis -n roadstead-system --ignore-not-found
kubectl delete namespace refused missing no-redis refused-again team-a --ignore-not-found

# before #status 2
curl -sX DELETE $TAKARO/__control/faults
environment missing
awk 'BEGIN { RS = ORS = "---\n" } !/kind: Domain\n/' missing.yaml | kubectl apply -f -

# before #status 3
# If there are several Secrets, the first by name is used.
kubectl create secret generic a-redis -n roadstead-system --from-literal=host=127.0.0.1 --from-literal=port=1
kubectl label secret a-redis -n roadstead-system roadstead.dev/redis=true
environment no-redis
kubectl apply -f no-redis.yaml
kubectl wait --for=condition=Ready domain/arena tuser/alice tuser/bob --timeout=60s

# before #status 4
kubectl delete secret a-redis -n roadstead-system
kubectl roadstead wait --timeout 60s
kubectl create namespace team-a
kubectl create rolebinding view --clusterrole=view --user=jane -n team-a
admin=$KUBECONFIG
cp $KUBECONFIG jane
export KUBECONFIG=$PWD/jane
kubectl config set users.roadstead.act-as jane
KUBECONFIG=$admin kubectl get apiservice v1alpha1.takaro.roadstead.dev -o jsonpath='{.spec.service.port}' > port
KUBECONFIG=$admin kubectl patch apiservice v1alpha1.takaro.roadstead.dev --type=merge -p '{"spec": {"service": {"port": 1}}}'
KUBECONFIG=$admin kubectl wait --for=condition=Available=false apiservice/v1alpha1.takaro.roadstead.dev

# before #tree 1
KUBECONFIG=$admin
kubectl patch apiservice v1alpha1.takaro.roadstead.dev --type=merge -p '{"spec": {"service": {"port": '$(cat port)'}}}'
kubectl wait --for=condition=Available apiservice/v1alpha1.takaro.roadstead.dev

# before #wait 2
curl -sf $TAKARO/__control/faults -d '{"kind": "token-revoked"}'
environment refused-again
kubectl apply -f refused-again.yaml
until [[ $(kubectl roadstead status) == *AdminTokenRefused*'4 more'* ]]; do sleep 0.2; done

# before #crdcheck 1
cp artifacts/examples/crd-guard/1-installed.yaml old.yaml
cp artifacts/examples/crd-guard/3-safe.yaml new.yaml
