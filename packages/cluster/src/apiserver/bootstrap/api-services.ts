import type { DynamicObject } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { StorageSubscription } from '../../storage/types.ts';
import { objectAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import { written } from './managed-fields.ts';
import { type BootstrapContext, ensureComplete } from './write.ts';

const resource = 'apiregistration.k8s.io/apiservices';
const definitionsAt = 'apiextensions.k8s.io/customresourcedefinitions';
const mark = 'kube-aggregator.kubernetes.io/automanaged';

/** Places of the built-in groups in discovery: `[group, version]`; a version is at 15 unless its group says otherwise. */
const priorities: Readonly<Record<string, readonly [number, number?]>> = {
  '': [18_000, 1],
  'admissionregistration.k8s.io': [16_700],
  'apiextensions.k8s.io': [16_700],
  apps: [17_800],
  'authentication.k8s.io': [17_700],
  'authorization.k8s.io': [17_600],
  autoscaling: [17_500],
  batch: [17_400],
  'certificates.k8s.io': [17_300],
  'coordination.k8s.io': [16_500],
  'discovery.k8s.io': [16_200],
  'events.k8s.io': [17_750],
  'flowcontrol.apiserver.k8s.io': [16_100, 21],
  'networking.k8s.io': [17_200],
  'node.k8s.io': [16_300],
  policy: [17_100],
  'rbac.authorization.k8s.io': [17_000],
  'resource.k8s.io': [16_200, 21],
  'scheduling.k8s.io': [16_600],
  'storage.k8s.io': [16_800],
  'storagemigration.k8s.io': [15_800],
};

const apiVersion = 'apiregistration.k8s.io/v1';
const labels = { '.': {}, [`f:${mark}`]: {} };
const spec = { 'f:groupPriorityMinimum': {}, 'f:version': {}, 'f:versionPriority': {} };
const claim = (grouped: boolean) =>
  written('kube-apiserver', apiVersion, {
    'f:metadata': { 'f:labels': labels },
    'f:spec': grouped ? { 'f:group': {}, ...spec } : spec,
  });
const [ofGroup, ofCore] = [claim(true), claim(false)];

function ensureService(
  context: BootstrapContext,
  group: string,
  version: string,
  [groupPriorityMinimum, versionPriority = 15]: readonly [number, number?],
  managed: 'onstart' | 'true',
): void {
  const available = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(context.clock.now()),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
  const object = {
    apiVersion,
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [mark]: managed } },
    spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum, versionPriority },
    status: { conditions: [available] },
  };
  ensureComplete(context, { resource, object }, [group === '' ? ofCore : ofGroup]);
}

function ensureBuiltin(context: BootstrapContext): void {
  const done = new Set<string>();
  for (const { group, version, builtIn } of context.registry.all()) {
    const [minimum, own] = priorities[group] ?? [];
    if (!builtIn || minimum === undefined || done.has(`${group}/${version}`)) continue;
    done.add(`${group}/${version}`);
    const newest = group === 'autoscaling' && version === 'v2' ? 30 : own;
    ensureService(context, group, version, [minimum, newest], 'onstart');
  }
}

/** `version.group` of everything that the definitions serve. */
function customNames({ storage }: BootstrapContext): ReadonlyMap<string, readonly [group: string, version: string]> {
  const names = new Map<string, readonly [string, string]>();
  for (const definition of storage.list(definitionsAt).objects as readonly unknown[] as readonly DynamicObject[]) {
    const spec = objectAt(definition, 'spec');
    const group = textAt(spec, 'group');
    for (const version of objectsAt(spec, 'versions').filter(({ served }) => served === true)) {
      const name = textAt(version, 'name');
      names.set(`${name}.${group}`, [group, name]);
    }
  }
  return names;
}

/** Brings the services of custom groups to what the definitions say. Those that somebody else made stay. */
function followDefinitions(context: BootstrapContext): void {
  const { storage } = context;
  const wanted = customNames(context);
  for (const [group, version] of wanted.values()) {
    ensureService(context, group, version, [1000, 100], 'true');
  }
  for (const { metadata } of storage.list(resource).objects) {
    const own = metadata.labels?.[mark] === 'true';
    if (own && !wanted.has(metadata.name)) storage.delete({ resource, namespace: '', name: metadata.name });
  }
}

/** Keeps an APIService for every group and version that this server serves by itself. */
export function installApiServices(context: BootstrapContext): StorageSubscription {
  const { storage } = context;
  ensureBuiltin(context);
  followDefinitions(context);
  const subscriptions = [definitionsAt, resource].map((watched) =>
    storage.subscribe(watched, storage.revision, ({ type }) => {
      if (watched === definitionsAt || type === 'deleted') followDefinitions(context);
    }),
  );
  return {
    cancel() {
      for (const subscription of subscriptions) subscription.cancel();
    },
  };
}
