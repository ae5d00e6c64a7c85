import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, sleep } from '@coxswain/runtime/core';
import { type Child, untilReady } from '../control-plane/child.ts';
import { goProgramPath } from '../go-programs/index.ts';
import { addresses } from './addresses.ts';
import { makeCgroups, removeCgroups } from './cgroups.ts';
import { pauseImage } from './images.ts';
import { prefix } from './leftovers.ts';
import { type Machine, startNode } from './machine.ts';
import { cniFolder } from './requirements.ts';

export interface NodeSettings {
  readonly clock: Clock;
  /** From 1. */
  readonly number: number;
  readonly folder: string;
  readonly network: Machine;
  readonly images: readonly string[];
  /** For the kubelet and for kube-proxy. */
  readonly kubeconfigs: { readonly kubelet: string; readonly proxy: string };
  /** Milliseconds a program may take until it answers. */
  readonly limit: number;
}

const init = join(import.meta.dirname, 'node-init.sh');

function containerdConfig(folder: string): string {
  const runtime = `plugins."io.containerd.cri.v1.runtime"`;
  return `version = 3
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "${pauseImage}"
[${runtime}]
  # a container may not be able to lower its score
  restrict_oom_score_adj = true
  [${runtime}.containerd]
    default_runtime_name = "runc"
    [${runtime}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${runtime}.containerd.runtimes.runc.options]
        BinaryName = "/usr/sbin/runc"
        SystemdCgroup = false
  [${runtime}.cni]
    bin_dirs = ["${cniFolder}"]
    conf_dir = "${folder}/cni"
`;
}

const podNetwork = (number: number) => ({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: '/run/addresses',
        ranges: [[{ subnet: addresses.podsOf(number) }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
});

const kubeletConfig = (number: number) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  failCgroupV1: false,
  cgroupDriver: 'cgroupfs',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  address: addresses.node(number),
  // nobody but the control plane reaches this network
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  clusterDNS: [addresses.dns],
  clusterDomain: 'cluster.local',
  resolvConf: '/run/empty',
  failSwapOn: false,
  // images are only here: they cannot be brought again
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  volumePluginDir: '/var/lib/kubelet/plugins-exec',
});

const proxyConfig = (number: number, kubeconfig: string) => ({
  apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
  kind: 'KubeProxyConfiguration',
  clientConnection: { kubeconfig },
  mode: 'nftables',
  clusterCIDR: addresses.pods,
  // limits of the machine, which stay as they are
  conntrack: { maxPerCore: 0, min: 0 },
  bindAddress: addresses.node(number),
  oomScoreAdj: 0,
});

async function writeConfigs({ folder, number, kubeconfigs }: NodeSettings): Promise<void> {
  for (const part of ['kubelet', 'containerd', 'cni', 'logs']) await mkdir(join(folder, part), { recursive: true });
  const write = (path: string, content: string | object) =>
    writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  await write('containerd.toml', containerdConfig(folder));
  await write('cni/10-pods.conflist', podNetwork(number));
  await write('kubelet.json', kubeletConfig(number));
  await write('proxy.json', proxyConfig(number, join(folder, 'proxy.kubeconfig')));
  await write('kubelet.kubeconfig', kubeconfigs.kubelet);
  await write('proxy.kubeconfig', kubeconfigs.proxy);
}

/** A cable from the bridge of the control plane to the node, and routes to its pods. */
async function plugIn(network: Machine, machine: Machine, number: number): Promise<void> {
  const cable = `cable${number}`;
  const address = addresses.node(number);
  await network.run(['ip', 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(machine.pid)]);
  await network.run(['ip', 'link', 'set', cable, 'master', 'bridge0', 'up']);
  await machine.run(['ip', 'link', 'set', 'lo', 'up']);
  await machine.run(['ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0']);
  await machine.run(['ip', 'link', 'set', 'eth0', 'up']);
  await machine.run(['ip', 'route', 'add', 'default', 'via', addresses.controlPlane]);
  await network.run(['ip', 'route', 'replace', addresses.podsOf(number), 'via', address]);
}

/** A node with containerd, kubelet and kube-proxy, which can be powered off and on. */
export class RealNode {
  readonly name: string;
  readonly #settings: NodeSettings;
  #machine: Machine | undefined;
  #cgroups: readonly string[] = [];

  constructor(settings: NodeSettings) {
    this.name = `node-${settings.number}`;
    this.#settings = settings;
  }

  /** Resolves when its programs run; that the node is Ready is told by the API server. */
  async powerOn(): Promise<void> {
    if (this.#machine) return;
    const { clock, number, folder, network, limit } = this.#settings;
    await writeConfigs(this.#settings);
    this.#cgroups = await makeCgroups(`${prefix}-${process.pid}-${number}`);
    const machine = await startNode(clock, this.name, this.#cgroups, ['sh', init, this.name, folder]);
    this.#machine = machine;
    await plugIn(network, machine, number);
    const env = `PATH=${dirname(goProgramPath('containerd'))}:/usr/sbin:/usr/bin:/sbin:/bin`;
    const start = (name: string, command: readonly string[]) => machine.start(name, ['env', env, ...command]);
    const containerd = start('containerd', [goProgramPath('containerd'), '--config', join(folder, 'containerd.toml')]);
    const ctr = (...args: readonly string[]) =>
      machine.run(['env', env, goProgramPath('ctr'), '-n', 'k8s.io', ...args]);
    const answers = () =>
      ctr('version').then(
        () => true,
        () => false,
      );
    await untilReady(clock, containerd, answers, limit);
    for (const image of this.#settings.images) await ctr('images', 'import', image);
    await this.#startKubelet(start);
  }

  async #startKubelet(start: (name: string, command: readonly string[]) => Child): Promise<void> {
    const { clock, folder, number } = this.#settings;
    const programs = [
      start('kubelet', [
        goProgramPath('kubelet'),
        `--config=${join(folder, 'kubelet.json')}`,
        `--kubeconfig=${join(folder, 'kubelet.kubeconfig')}`,
        `--node-ip=${addresses.node(number)}`,
        `--hostname-override=${this.name}`,
        '--root-dir=/var/lib/kubelet',
      ]),
      start('kube-proxy', [
        goProgramPath('kube-proxy'),
        `--config=${join(folder, 'proxy.json')}`,
        `--hostname-override=${this.name}`,
      ]),
    ];
    await sleep(clock, 500);
    const broken = programs.find((program) => program.ended());
    if (broken) throw new Error(`${broken.name} ended; it last said:\n${broken.said()}`);
  }

  /** As when somebody pulls the plug: nothing on it ends in order. What is on its disk stays. */
  async powerOff(): Promise<void> {
    const machine = this.#machine;
    this.#machine = undefined;
    await machine?.kill();
    // the kernel takes a moment to let processes of a dead namespace go
    for (let i = 0; i < 20; i++) {
      await removeCgroups(this.#cgroups);
      await sleep(this.#settings.clock, 50);
    }
  }
}
