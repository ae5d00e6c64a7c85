import type { Container, ContainerStatus, Pod, ResourceRequirements } from '@coxswain/k8s';
import { parseQuantity, quantityMilliValue, quantityValue } from '@coxswain/runtime/core';

/** Amounts of what pods ask for and nodes have: cpu in thousandths, the rest in whole units (bytes, pieces). */
export interface Resources {
  cpu: number;
  memory: number;
  storage: number;
  /** Extended resources and huge pages, by name; absent: none. */
  scalars?: Map<string, number>;
}

type Quantities = Readonly<Record<string, string>>;

/** What a container that does not say is taken to need when nodes are compared, so that such pods spread too. */
const assumedCpu = 100;
const assumedMemory = 200 * 1024 * 1024;

export function noResources(): Resources {
  return { cpu: 0, memory: 0, storage: 0 };
}

function whole(text: string): number {
  return Number(quantityValue(parseQuantity(text)));
}

/** Calls `take` with every resource the scheduler counts. The number of pods is counted apart. */
function each(quantities: Quantities | undefined, take: (name: string, amount: number) => void): void {
  for (const name in quantities) {
    const text = quantities[name];
    if (text === undefined || name === 'pods') continue;
    take(name, name === 'cpu' ? Number(quantityMilliValue(parseQuantity(text))) : whole(text));
  }
}

function get(resources: Resources, name: string): number {
  if (name === 'cpu') return resources.cpu;
  if (name === 'memory') return resources.memory;
  return name === 'ephemeral-storage' ? resources.storage : (resources.scalars?.get(name) ?? 0);
}

function set(resources: Resources, name: string, amount: number): void {
  if (name === 'cpu') resources.cpu = amount;
  else if (name === 'memory') resources.memory = amount;
  else if (name === 'ephemeral-storage') resources.storage = amount;
  else {
    resources.scalars ??= new Map();
    resources.scalars.set(name, amount);
  }
}

/** Adds (or with -1 takes away) `other`. */
export function addResources(sum: Resources, other: Resources, factor: 1 | -1 = 1): void {
  sum.cpu += factor * other.cpu;
  sum.memory += factor * other.memory;
  sum.storage += factor * other.storage;
  for (const [name, amount] of other.scalars ?? []) set(sum, name, get(sum, name) + factor * amount);
}

function raise(resources: Resources, other: Resources): void {
  resources.cpu = Math.max(resources.cpu, other.cpu);
  resources.memory = Math.max(resources.memory, other.memory);
  resources.storage = Math.max(resources.storage, other.storage);
  for (const [name, amount] of other.scalars ?? []) set(resources, name, Math.max(get(resources, name), amount));
}

export function resourcesOf(quantities: Quantities | undefined): Resources {
  const resources = noResources();
  each(quantities, (name, amount) => set(resources, name, amount));
  return resources;
}

/** How many pods a node takes. */
export function podLimit(allocatable: Quantities | undefined): number {
  return whole(allocatable?.['pods'] ?? '0');
}

function containerRequests(container: Container, status: ContainerStatus | undefined, assumed: boolean): Resources {
  const requests = resourcesOf(container.resources?.requests);
  // while a resize is under way the container holds the larger of what it has and what it is to have
  const held = status?.resources?.requests;
  if (held) raise(requests, resourcesOf(held));
  if (status?.allocatedResources) raise(requests, resourcesOf(status.allocatedResources));
  if (!assumed) return requests;
  const given = container.resources?.requests;
  if (given?.['cpu'] === undefined) requests.cpu = assumedCpu;
  if (given?.['memory'] === undefined) requests.memory = assumedMemory;
  return requests;
}

function overrideByPod(sum: Resources, own: ResourceRequirements | undefined): void {
  each(own?.requests, (name, amount) => {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) set(sum, name, amount);
  });
}

/**
 * What a pod takes from its node: the sum of its containers and sidecars, or its hungriest start if that is more; what it states for
 * itself overrides that of its containers; its overhead comes on top.
 * @param assumed count containers that do not say what they need with a small amount
 */
export function podRequests({ spec, status }: Pod, assumed = false): Resources {
  const statuses = spec?.nodeName
    ? [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
    : [];
  const requests = (container: Container) =>
    containerRequests(
      container,
      statuses.find(({ name }) => name === container.name),
      assumed,
    );
  const sum = noResources();
  for (const container of spec?.containers ?? []) addResources(sum, requests(container));
  const sidecars = noResources();
  const starting = noResources();
  for (const container of spec?.initContainers ?? []) {
    const need = requests(container);
    if (container.restartPolicy === 'Always') {
      addResources(sum, need);
      addResources(sidecars, need);
      raise(starting, sidecars);
    } else {
      addResources(need, sidecars);
      raise(starting, need);
    }
  }
  raise(sum, starting);
  overrideByPod(sum, spec?.resources);
  addResources(sum, resourcesOf(spec?.overhead));
  return sum;
}
