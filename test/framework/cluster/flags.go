// SPDX-License-Identifier: Apache-2.0

package cluster

import "path/filepath"

const (
	serviceRange   = "10.96.0.0/16"
	firstServiceIP = "10.96.0.1"
	podRange       = "10.244.0.1/16"
	// issuer is the usual issuer of in-cluster ServiceAccount tokens.
	issuer = "https://kubernetes.default.svc.cluster.local"
	// advertised is in the range reserved for documentation (RFC 5737). The servers listen on
	// loopback, and Endpoints may not contain loopback addresses. Without an address,
	// kube-apiserver requires a network interface, which a build machine may lack.
	advertised = "192.0.2.1"
)

func (c *Cluster) etcdArgs() []string {
	client, peer := "http://"+c.ports.address(portEtcd), "http://"+c.ports.address(portEtcdPeer)
	args := []string{
		"--name=etcd", "--data-dir=" + c.etcdData(),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=etcd=" + peer,
		"--unsafe-no-fsync", "--log-level=warn",
		// A single member waits for one election timeout at its start, by default one second.
		"--heartbeat-interval=20", "--election-timeout=200",
	}
	return append(args, c.opts.EtcdArgs...)
}

func (c *Cluster) apiServerArgs() []string {
	args := []string{
		"--etcd-servers=" + c.EtcdURL(),
		"--bind-address=127.0.0.1", "--secure-port=" + c.ports.port(portAPIServer),
		"--advertise-address=" + advertised, "--endpoint-reconciler-type=none",
		"--tls-cert-file=" + c.certs.crt("server"), "--tls-private-key-file=" + c.certs.key("server"),
		"--client-ca-file=" + c.certs.crt("ca"),
		"--authorization-mode=RBAC", "--allow-privileged=true",
		"--service-cluster-ip-range=" + serviceRange,
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + filepath.Join(c.certs.dir, "service-accounts.pub"),
		"--service-account-signing-key-file=" + c.certs.key("service-accounts"),
		"--requestheader-client-ca-file=" + c.certs.crt("front-proxy-ca"),
		"--requestheader-allowed-names=" + frontProxyUser,
		"--requestheader-username-headers=X-Remote-User", "--requestheader-uid-headers=X-Remote-Uid",
		"--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + c.certs.crt("front-proxy"), "--proxy-client-key-file=" + c.certs.key("front-proxy"),
	}
	if c.opts.AuditLevel != "" {
		args = append(args, "--audit-policy-file="+c.auditPolicy(), "--audit-log-path="+c.AuditLog())
	}
	return append(args, c.opts.KubeAPIServerArgs...)
}

func (c *Cluster) controllerManagerArgs() []string {
	return append(c.delegatingArgs(ControllerManager, portControllerManager),
		"--controllers=*", "--use-service-account-credentials",
		"--service-account-private-key-file="+c.certs.key("service-accounts"),
		"--root-ca-file="+c.certs.crt("ca"),
		"--cluster-signing-cert-file="+c.certs.crt("ca"), "--cluster-signing-key-file="+c.certs.key("ca"),
		// The defaults (20, 30) throttle tests that create many objects concurrently.
		"--kube-api-qps=200", "--kube-api-burst=400",
	)
}

func (c *Cluster) schedulerArgs() []string {
	return append(c.delegatingArgs(Scheduler, portScheduler), "--kube-api-qps=200", "--kube-api-burst=400")
}

// delegatingArgs returns the flags common to the programs that serve TLS and delegate
// authentication and authorization to kube-apiserver.
func (c *Cluster) delegatingArgs(name string, port int) []string {
	kubeconfig := c.componentKubeconfig(name)
	return []string{
		"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1", "--secure-port=" + c.ports.port(port),
		"--tls-cert-file=" + c.certs.crt("server"), "--tls-private-key-file=" + c.certs.key("server"),
		"--leader-elect=false",
	}
}

func (c *Cluster) kwokArgs() ([]string, error) {
	args := []string{
		"--kubeconfig=" + c.componentKubeconfig(Kwok),
		// kwok must not manage nodes that are managed by a pod player.
		"--manage-nodes-with-annotation-selector=" + kwokAnnotation + "=fake",
		// The lease is the heartbeat of the node. Without it, the controller-manager repeatedly
		// marks the node NotReady after 50 s, together with all of its pods, and kwok does not make
		// those pods Ready again.
		"--node-lease-duration-seconds=40",
		"--node-ip=127.0.0.1", "--cidr=" + podRange,
		"--server-address=" + c.ports.address(portKwok),
	}
	stages, err := filepath.Glob(filepath.Join(c.opts.ToolsDir, "stages", "*.yaml"))
	for _, stage := range stages {
		args = append(args, "--config="+stage)
	}
	return args, err
}
