import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/k8s';
import type { PodNetworkFiles } from '../types.ts';
import { hostNetworkHosts, podHosts } from './hosts.ts';
import { kernelHostname, podNames } from './names.ts';
import { formatResolvConf, type PodResolver, parseResolvConf, podResolver } from './resolv-conf.ts';

/** The files of this machine that those of pods are made from. */
export interface MachineFiles {
  readonly hosts: string;
  readonly resolvConf: string;
}

/** Reads them; what is not there is empty. */
export async function machineFiles(): Promise<MachineFiles> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '');
  return { hosts: await read('/etc/hosts'), resolvConf: await read('/etc/resolv.conf') };
}

export interface PodFilesOptions {
  readonly pod: Pod;
  readonly directory: string;
  readonly addresses: readonly string[];
  readonly machine: MachineFiles;
  /** Address of the cluster's name server, if there is one. */
  readonly nameServer: string | undefined;
  /** Takes the place of the machine's name servers, for pods that cannot reach those. */
  readonly servers?: string | undefined;
}

/** Replaces what is in a file without making another: mounts of it show the change. */
async function rewrite(path: string, text: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const bytes = Buffer.from(text);
    await file.write(bytes, 0, bytes.length, 0);
    await file.truncate(bytes.length);
  } finally {
    await file.close();
  }
}

/** `/etc/hosts`, `/etc/resolv.conf` and `/etc/hostname` of one pod. */
export class PodFiles {
  readonly files: PodNetworkFiles;
  readonly hostname: string;
  readonly resolver: PodResolver;
  readonly #hosts: string;
  #written: string;
  #writing: Promise<void> = Promise.resolve();

  /** @throws Error when the pod's names cannot be made */
  constructor({ pod, directory, addresses, machine, nameServer, servers }: PodFilesOptions) {
    const names = podNames(pod);
    const { hostAliases = [], hostNetwork = false, nodeName = '' } = pod.spec ?? {};
    this.hostname = hostNetwork ? nodeName : kernelHostname(pod, names);
    const settings = parseResolvConf(machine.resolvConf);
    const outside = servers === undefined ? settings : { ...settings, servers: [servers] };
    this.resolver = podResolver(pod, outside, nameServer);
    this.#hosts = hostNetwork ? hostNetworkHosts(machine.hosts, hostAliases) : podHosts(addresses, names, hostAliases);
    this.#written = this.#hosts;
    const at = (name: string) => join(directory, name);
    this.files = { hosts: at('hosts'), resolvConf: at('resolv.conf'), hostname: at('hostname') };
  }

  async write(): Promise<void> {
    await writeFile(this.files.hosts, this.#written);
    await writeFile(this.files.resolvConf, formatResolvConf(this.resolver));
    await writeFile(this.files.hostname, `${this.hostname}\n`);
  }

  /** Adds lines to the hosts file, in place of those added before. Changes follow each other in the order of the calls. */
  addHosts(lines: string): Promise<void> {
    const text = lines === '' ? this.#hosts : `${this.#hosts}\n${lines}`;
    if (text === this.#written) return this.#writing;
    this.#written = text;
    const write = () => rewrite(this.files.hosts, text);
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}
