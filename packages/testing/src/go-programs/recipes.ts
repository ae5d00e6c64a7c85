/** The Kubernetes release that the embedded server is held against. */
export const kubernetesVersion = 'v1.37.2';

const etcdVersion = 'v3.7.3';
const containerdVersion = 'v2.4.2';
const versitygwVersion = 'v1.8.0';

/** How one program is built from published Go modules. */
export interface Recipe {
  /** Folder in the cache whose `go.mod` it is built by; the program is in its `bin`. */
  readonly folder: string;
  /** `module@version` that this `go.mod` requires. */
  readonly module: string;
  readonly package: string;
  /** A test binary (`go test -c`) instead of a command. */
  readonly test?: boolean;
}

const kubernetes = { folder: `k-${kubernetesVersion}`, module: `k8s.io/kubernetes@${kubernetesVersion}` };

const containerdModule = 'github.com/containerd/containerd/v2';
const containerd = { folder: 'ctd', module: `${containerdModule}@${containerdVersion}` };

/** Every program that can be built, by its name. */
export const recipes = {
  etcd: {
    folder: 'etcd',
    module: `go.etcd.io/etcd/server/v3@${etcdVersion}`,
    package: 'go.etcd.io/etcd/server/v3',
  },
  'kube-apiserver': { ...kubernetes, package: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  'kube-controller-manager': { ...kubernetes, package: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  'kube-scheduler': { ...kubernetes, package: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  kubelet: { ...kubernetes, package: 'k8s.io/kubernetes/cmd/kubelet' },
  'kube-proxy': { ...kubernetes, package: 'k8s.io/kubernetes/cmd/kube-proxy' },
  containerd: { ...containerd, package: `${containerdModule}/cmd/containerd` },
  'containerd-shim-runc-v2': { ...containerd, package: `${containerdModule}/cmd/containerd-shim-runc-v2` },
  ctr: { ...containerd, package: `${containerdModule}/cmd/ctr` },
  'e2e.test': { ...kubernetes, package: 'k8s.io/kubernetes/test/e2e', test: true },
  agnhost: { ...kubernetes, package: 'k8s.io/kubernetes/test/images/agnhost' },
  ginkgo: { ...kubernetes, package: 'github.com/onsi/ginkgo/v2/ginkgo' },
  versitygw: {
    folder: 's3',
    module: `github.com/versity/versitygw@${versitygwVersion}`,
    package: 'github.com/versity/versitygw/cmd/versitygw',
  },
} as const satisfies Readonly<Record<string, Recipe>>;

/** A program that can be built from Go modules. */
export type GoProgram = keyof typeof recipes;
