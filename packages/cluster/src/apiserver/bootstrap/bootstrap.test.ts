import type { DynamicObject, KubeObject } from '@coxswain/k8s';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../storage/index.ts';
import { builtinResources, createRegistry } from '../builtin/index.ts';
import { objectAt, objectsAt } from '../builtin/shared/draft.ts';
import { bootstrapCluster } from './index.ts';

async function startedCluster() {
  const clock = new VirtualClock();
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const registry = createRegistry(builtinResources());
  const cluster = bootstrapCluster({ registry, storage, clock, random: seededRandom(1) });
  const keyOf = (resource: string, name: string) => ({ resource, namespace: '', name });
  return {
    cluster,
    get: (resource: string, name: string) => storage.get(keyOf(resource, name)) as DynamicObject | undefined,
    put: (resource: string, object: object) =>
      storage.put(keyOf(resource, (object as KubeObject).metadata.name), object as KubeObject),
    remove: (resource: string, name: string) => void storage.delete(keyOf(resource, name)),
    names: (resource: string) => storage.list(resource).objects.map(({ metadata }) => metadata.name),
  };
}

const schemas = 'flowcontrol.apiserver.k8s.io/flowschemas';
const levels = 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations';
const services = 'apiregistration.k8s.io/apiservices';
const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

test('the status of a flow schema follows its priority level', async () => {
  const { get, put, remove } = await startedCluster();
  const dangling = () => objectsAt(objectAt(get(schemas, 'own'), 'status'), 'conditions')[0];
  const spec = { priorityLevelConfiguration: { name: 'mine' }, matchingPrecedence: 5 };
  put(schemas, { apiVersion: 'v1', kind: 'FlowSchema', metadata: { name: 'own' }, spec, status: {} });
  expect(dangling()).toMatchObject({ type: 'Dangling', status: 'True', reason: 'NotFound' });
  put(levels, { apiVersion: 'v1', kind: 'PriorityLevelConfiguration', metadata: { name: 'mine' }, spec: {} });
  expect(dangling()).toMatchObject({ status: 'False', reason: 'Found' });
  remove(levels, 'mine');
  expect(dangling()).toMatchObject({ status: 'True' });
});

test('every built-in group and version has an API service, and what definitions serve while they do', async () => {
  const { get, put, remove, names } = await startedCluster();
  const builtIn = names(services);
  expect(builtIn).toHaveLength(22);
  expect(get(services, 'v2.autoscaling')?.spec).toMatchObject({ groupPriorityMinimum: 17_500, versionPriority: 30 });
  const versions = [
    { name: 'v1', served: true },
    { name: 'v2', served: false },
  ];
  const definition = (metadata: object, served = versions) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec: { group: 'd.example', versions: served },
  });
  put(definitions, definition({ name: 'widgets.d.example' }));
  put(definitions, definition({ name: 'gadgets.d.example' }));
  expect(names(services).filter((name) => !builtIn.includes(name))).toEqual(['v1.d.example']);
  remove(services, 'v1.d.example');
  expect(get(services, 'v1.d.example')).toBeDefined();
  remove(definitions, 'widgets.d.example');
  expect(get(services, 'v1.d.example')).toBeDefined();
  remove(definitions, 'gadgets.d.example');
  expect(names(services)).toEqual(builtIn);
});
