import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { OptionalPlugin, WebhookRoutes } from './apiserver/admission/index.ts';
import type { Faults } from './faults/index.ts';
import type { NodeState, PodBehaviour, SimulatedPrograms, Stage } from './node/index.ts';

export interface ClusterOptions {
  /** Default: the machine's clock. A virtual clock needs the in-process client only. */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /** Where to keep the state; absent: memory only. */
  readonly dataDir?: string;
  /** When a commit counts as written: `always` before it is acknowledged, `interval` within a second, `off` when the system likes. Default `interval`. */
  readonly fsync?: 'always' | 'interval' | 'off';
  /** Serve HTTPS on 127.0.0.1; 0 picks a free port. Absent: in-process only. */
  readonly port?: number;
  /** Simulated nodes; default 1, and none when there are nodes that run processes. */
  readonly nodes?: number;
  /** Nodes whose containers are processes of this machine (Linux), with the images of the catalog. Default 0. */
  readonly processNodes?: number;
  /** Folders with a folder for each image that process-backed nodes know; earlier ones go first. Default none. */
  readonly images?: readonly string[];
  /**
   * What network the pods of process-backed nodes have. `loopback`: that of the machine, with an address of 127.0.0.0/8 for each pod, which
   * its programs have to listen at. `namespaces`: one of its own each, with an address of `podCIDR`, where programs listen as in any container;
   * takes root, or user namespaces. Default `loopback`.
   */
  readonly podNetwork?: 'loopback' | 'namespaces';
  /** Where pods in namespaces have their addresses: a /24 of it for each node. Default `10.244.0.0/16`. */
  readonly podCIDR?: string;
  /** Milliseconds without a sign of life after which a node is unknown, and its pods are to leave it; default 50 000. */
  readonly nodeMonitorGracePeriod?: number;
  /**
   * Whether simulated nodes that the data directory has beyond `nodes` go on, or are removed with their pods.
   * Default: they go on unless `nodes` is given.
   */
  readonly keepNodes?: boolean;
  /**
   * What stands in for the programs of containers on simulated nodes, for those who look inside: logs, commands, ports. Default:
   * nothing, and whoever asks is told so.
   */
  readonly programs?: SimulatedPrograms;
  /**
   * What containers on simulated nodes do: run, end, fail, take their time. Default: well-known commands of one shot end as they would,
   * images under `invalid.` cannot be pulled, everything else runs, all at once.
   */
  readonly behaviour?: PodBehaviour;
  /** Rules for containers on simulated nodes, which go before `behaviour`: delays, failures, ends, probes. Default none. @see Stage */
  readonly stages?: readonly Stage[];
  /** Whether simulated nodes tell in events what goes well (`Pulled`, `Created`, `Started`, `Killing`), as real ones do. Default false. */
  readonly podEvents?: boolean;
  /** Share of its requests that a container is said to use where nobody measures it (`kubectl top`); default 0.5. */
  readonly simulatedUsage?: number;
  /** Run the built-in controllers, scheduler and nodes; default true. */
  readonly controlPlane?: boolean;
  /** Who may do what: by the roles and bindings in the cluster, or everybody everything. Default `RBAC`. */
  readonly authorization?: 'RBAC' | 'AlwaysAllow';
  /**
   * Where the admission webhooks of Services are, by `namespace/name` or `namespace/name:port`; read at every call. Services that are
   * not in it are looked up: an endpoint with a loopback address is called.
   */
  readonly webhookRoutes?: WebhookRoutes;
  /** Admission plug-ins that a plain Kubernetes leaves off, too. Default none. */
  readonly admissionPlugins?: readonly OptionalPlugin[];
  /** How many requests over HTTPS are worked on at a time, watches aside; more wait 5 s at most, and get 429 then. Default 200 and 400. */
  readonly inFlight?: { readonly mutating?: number; readonly readOnly?: number };
  /** Install the OpenKruise kinds and run their controllers; default true. */
  readonly kruise?: boolean;
  /**
   * Custom kinds that are served from the start, which takes a small part of the time that installing them does: nobody looks whether
   * the definitions are right. Default none.
   */
  readonly definitions?: readonly CustomResourceDefinition[];
}

/** Somebody who uses a cluster. */
export interface ClusterUser {
  readonly name: string;
  /** Default none. */
  readonly groups?: readonly string[];
}

/** The nodes of an embedded cluster, to be failed and brought back. Names that are no node of it are errors. */
export interface ClusterNodes {
  /** Of all nodes that this process plays. */
  readonly names: readonly string[];
  state(name: string): NodeState | undefined;
  /** As if its power were cut: its containers end, it says nothing any more. */
  stop(name: string): Promise<void>;
  /** As if its network were cut: its containers go on, but it says and hears nothing. */
  partition(name: string): Promise<void>;
  /** After `stop` or `partition`: it is back, and catches up. */
  start(name: string): Promise<void>;
  /** One more simulated node; answers its name. @param name default: `node-` and the next number */
  add(name?: string): Promise<string>;
  /** Takes a node away for good, with its pods. */
  remove(name: string): Promise<void>;
}

/** A running embedded cluster. */
export interface Cluster {
  /** In-process, as cluster-admin. */
  readonly client: Client;
  /** In-process, as somebody else: a user with the groups given (and `system:authenticated`). */
  clientAs(user: ClusterUser): Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Faults by rule, for everybody who uses this cluster; none at first. */
  readonly faults: Faults;
  /** Its nodes; none without a control plane. */
  readonly nodes: ClusterNodes;
  /** Forgets all past states, as a compaction does: older lists, continue tokens and watches get 410. Answers the revision kept. */
  compactNow(): number;
  /** `https://127.0.0.1:PORT`, when serving. */
  readonly url?: string;
  /** A kubeconfig (YAML) for an administrator; cluster, user and context are called `name`, default `coxswain`. @throws when not serving HTTPS */
  kubeconfig(options?: { readonly name?: string }): string;
  /** True when no built-in controller has work to do now. */
  readonly idle: boolean;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
