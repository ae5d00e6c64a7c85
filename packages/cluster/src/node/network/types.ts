import type { Duplex } from 'node:stream';
import type { Pod } from '@coxswain/k8s';

/** Files of one pod on this machine, to be mounted in its containers. They are written in place, so that a mounted one stays current. */
export interface PodNetworkFiles {
  /** For `/etc/hosts`. */
  readonly hosts: string;
  /** For `/etc/resolv.conf`. */
  readonly resolvConf: string;
  /** For `/etc/hostname`. */
  readonly hostname: string;
}

/** Namespaces of the kernel that a pod's processes have to be started in, as `nsenter` takes them. */
export interface PodNamespaces {
  /** Such as `/proc/42/ns/net`. */
  readonly network: string;
  /** The user namespace that owns it, to be entered first; absent: that of this process. */
  readonly user?: string;
}

/** A pod's place in the network. */
export interface PodAttachment {
  /** The first is `podIP`. */
  readonly addresses: readonly [string, ...string[]];
  readonly files: PodNetworkFiles;
  /** What `hostname` answers in the pod. */
  readonly hostname: string;
  /** Absent: the pod's processes live in the machine's own network, and listen at the pod's address. */
  readonly namespaces?: PodNamespaces;
  /** Connects with a port of the pod. Rejects with an Error whose message says why. */
  dial(port: number, signal: AbortSignal): Promise<Duplex>;
  /**
   * To be awaited before the pod's containers are asked to stop: Services give the pod no new connections from the call on; resolves when
   * those that were just begun are with its programs (200 ms at most).
   */
  drain(): Promise<void>;
  /** The address is given back. Connections go on until they end; files stay where they are. To be called again when it fails. */
  detach(): Promise<void>;
}

/** What a node has of the network. */
export interface NodePlace {
  /** As its `InternalIP`. */
  readonly address: string;
  /** Where the addresses of its pods are from, as `spec.podCIDR` shows it: `127.64.1.0/24`. */
  readonly podRange: string;
}

/** Addresses, names and Services for the pods of process-backed nodes. */
export interface PodNetwork {
  /** A node's place: the one it has in the cluster already, else a free one. @throws NetworkError when there is no room for another node */
  joinNode(node: string): Promise<NodePlace>;
  /**
   * Makes what pods share, before the first of them. @param user the user namespace that pods' processes live in; absent: that of this process
   * @throws NetworkError when pods are to have namespaces, and this machine does not allow them
   */
  prepare(user?: string): Promise<void>;
  /** A node is gone for good; its place may be given to another. */
  leaveNode(node: string): void;
  /**
   * Gives a pod an address: the one it declares (annotation `coxswain.io/pod-ip`, or Calico's `cni.projectcalico.org/ipAddrs`), else the one
   * its status has already (of before a restart), else a free one of its node; a pod on the host's network has its node's.
   * @param directory where its files are to be; must exist
   * @param user the user namespace that the pod's processes live in, such as `/proc/42/ns/user`; absent: that of this process, or any
   * @throws RuntimeRefusal with `FailedCreatePodSandBox`
   */
  attach(pod: Pod, directory: string, user?: string): Promise<PodAttachment>;
}
