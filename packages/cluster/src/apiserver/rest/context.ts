import type { DynamicObject } from '@coxswain/k8s';
import type { Clock, Logger, Random } from '@coxswain/runtime/core';
import type { Storage, StorageKey } from '../../storage/types.ts';
import type { ResourcePath } from '../request/path.ts';
import type { Query } from '../request/query.ts';
import type {
  AdmissionPlugin,
  ApiRequest,
  ConnectHandler,
  Registry,
  ResourceInfo,
  StrategyContext,
  SubresourceForm,
  SubresourceHandler,
  ToTable,
} from '../types.ts';
import { addWarning } from './warnings.ts';
import type { WatchHub } from './watch-hub.ts';

/** What all verbs of one server share. */
export interface ServerContext {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly admission: readonly AdmissionPlugin[];
  readonly subresources: readonly SubresourceHandler[];
  readonly connects: readonly ConnectHandler[];
  readonly forms: readonly SubresourceForm[];
  readonly toTable: ToTable | undefined;
  readonly watches: WatchHub;
}

/** One request for a resource, with everything that was read from its path. */
export interface Call {
  readonly server: ServerContext;
  readonly request: ApiRequest;
  readonly path: ResourcePath;
  readonly resource: ResourceInfo;
  /** `''` for cluster scope and for requests over all namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly query: Query;
  /** Set when the path is another form of the parent. */
  readonly form?: SubresourceForm;
  /** The request has been through admission: what it makes the server do to the parent is not asked about again. */
  readonly admitted?: boolean;
  /** Collects the texts of `Warning` headers. */
  readonly warnings: string[];
}

export function keyOf(call: Call, name: string = call.name): StorageKey {
  return { resource: call.resource.storage, namespace: call.namespace, name };
}

/** Adds a warning once. */
export function warn(call: Call, text: string): void {
  addWarning(call.warnings, text);
}

/** The stored object in the served version of the resource. */
export function stored(call: Call, name: string = call.name): DynamicObject | undefined {
  return call.server.storage.get(keyOf(call, name)) as DynamicObject | undefined;
}

export function strategyContext(call: Call, dryRun: boolean): StrategyContext {
  return {
    clock: call.server.clock,
    random: call.server.random,
    storage: call.server.storage,
    user: call.request.user,
    dryRun,
    subresource: call.subresource,
    warn: (text) => warn(call, text),
  };
}

/** `apps/v1` … of a resource. */
export function apiVersionOf(resource: ResourceInfo): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Name under which field ownership is recorded: the option, else the first part of the user agent. */
export function managerOf(call: Call, fieldManager: string): string {
  if (fieldManager !== '') return fieldManager;
  const agent = call.request.userAgent ?? '';
  return agent.split('/')[0] || 'unknown';
}
