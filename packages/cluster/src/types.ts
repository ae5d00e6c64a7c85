import type { Client } from '@coxswain/runtime/client';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { OptionalPlugin, WebhookRoutes } from './apiserver/admission/index.ts';
import type { Faults } from './faults/index.ts';
import type { SimulatedPrograms } from './node/index.ts';

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
  /** Simulated nodes; default 1. */
  readonly nodes?: number;
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
}

/** Somebody who uses a cluster. */
export interface ClusterUser {
  readonly name: string;
  /** Default none. */
  readonly groups?: readonly string[];
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
