import type { DynamicObject } from '@coxswain/k8s';
import { compareQuantities, forbidden, parseQuantity, type Quantity } from '@coxswain/runtime/core';
import { addTo, amountsAt, podAmounts } from '../../usage/index.ts';
import { mapAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';

interface Bound {
  readonly pod: ReadJson;
  readonly old: ReadJson;
  readonly nodeName: string;
}

/** A pod on a node whose spec is being changed. */
function boundPod({ operation, resource, object, old }: AdmissionAttributes): Bound | undefined {
  if (operation !== 'UPDATE' || resource.group !== '' || resource.plural !== 'pods' || !object || !old)
    return undefined;
  const nodeName = textAt(objectAt(object, 'spec'), 'nodeName');
  if (nodeName === '' || sameJson(object.spec, old.spec)) return undefined;
  return { pod: object, old: old as ReadJson, nodeName };
}

function nodeOf(attributes: AdmissionAttributes, name: string): DynamicObject {
  const found = attributes.storage.get({ resource: '/nodes', namespace: '', name });
  if (found) return found as DynamicObject;
  throw forbidden(attributes.resource, attributes.name, `node ${JSON.stringify(name)} not found`);
}

/** Features of a node that a change needs, which nodes have to say that they have. */
const needs: readonly { readonly feature: string; readonly inferred: (bound: Bound) => boolean }[] = [
  {
    feature: 'InPlacePodLevelResourcesVerticalScaling',
    inferred: ({ pod, old }) => !sameJson(objectAt(pod, 'spec')?.resources, objectAt(old, 'spec')?.resources),
  },
  {
    feature: 'InPlacePodVerticalScalingMemoryBackedVolumes',
    inferred({ pod, old }) {
      const [now, before] = [pod, old].map((one) => objectsAt(objectAt(one, 'spec'), 'volumes'));
      if (!now || !before || now.length !== before.length) return false;
      return now.some((volume, i) => {
        const [directory, earlier] = [objectAt(volume, 'emptyDir'), objectAt(before[i], 'emptyDir')];
        if (directory?.medium !== 'Memory' || directory.sizeLimit === undefined) return false;
        return earlier?.sizeLimit !== undefined && !sameJson(directory.sizeLimit, earlier.sizeLimit);
      });
    },
  },
  {
    feature: 'InPlacePodVerticalScalingInitContainers',
    inferred({ pod, old }) {
      const now = objectsAt(objectAt(pod, 'spec'), 'initContainers');
      return objectsAt(objectAt(old, 'spec'), 'initContainers').some(
        (container, i) => container.restartPolicy !== 'Always' && !sameJson(container.resources, now[i]?.resources),
      );
    },
  },
];

/** A change of a running pod may need something of its node: the node has to have declared it. */
export const nodeDeclaredFeatures: AdmissionPlugin = {
  name: 'NodeDeclaredFeatureValidator',
  validate(attributes) {
    const bound = boundPod(attributes);
    if (!bound || (attributes.subresource !== '' && attributes.subresource !== 'resize')) return;
    const wanted = needs.filter(({ inferred }) => inferred(bound)).map(({ feature }) => feature);
    if (wanted.length === 0) return;
    const declared = (nodeOf(attributes, bound.nodeName).status as ReadJson | undefined)?.declaredFeatures;
    const missing = wanted.filter((feature) => !Array.isArray(declared) || !declared.includes(feature));
    if (missing.length === 0) return;
    const where = `which are not available on node ${JSON.stringify(bound.nodeName)}`;
    throw forbidden(
      attributes.resource,
      attributes.name,
      `pod update requires features ${missing.join(', ')} ${where}`,
    );
  },
};

const none = parseQuantity('0');

function tooMuch(pod: ReadJson, node: ReadJson): string {
  const allocatable = amountsAt(objectAt(node, 'status'), 'allocatable');
  const requests = podAmounts(pod, 'requests');
  addTo(requests, amountsAt(objectAt(pod, 'spec'), 'overhead'));
  const parts = (['cpu', 'memory'] as const).flatMap((name) => {
    const [requested, available] = [requests.get(name) ?? none, allocatable.get(name) ?? none];
    if (compareQuantities(requested, available) <= 0) return [];
    const unit = name === 'cpu' ? 1_000_000n : 1_000_000_000n;
    const shown = ({ nano }: Quantity) => (nano + unit - 1n) / unit;
    return [`${name}, requested: ${shown(requested)}, allocatable: ${shown(available)}`];
  });
  return parts.length === 0 ? '' : `node didn't have enough allocatable resources: ${parts.join('; ')}`;
}

/** A pod is resized where it runs: the node has to be able to, and to have room for it alone. */
export const podResizeValidator: AdmissionPlugin = {
  name: 'PodResizeValidator',
  validate(attributes) {
    const bound = attributes.subresource === 'resize' ? boundPod(attributes) : undefined;
    if (!bound) return;
    const { resource, name } = attributes;
    const node = nodeOf(attributes, bound.nodeName) as ReadJson;
    const system = mapAt(objectAt(node, 'metadata'), 'labels')['kubernetes.io/os'] ?? 'linux';
    if (system !== 'linux') {
      const what = `node ${JSON.stringify(bound.nodeName)} is ${JSON.stringify(system)}`;
      const why = `pod resize is only supported on linux nodes, ${what}`;
      throw forbidden(resource, name, why, [{ reason: 'UnsupportedPlatform' }]);
    }
    const why = tooMuch(bound.pod, node);
    if (why !== '') throw forbidden(resource, name, why, [{ reason: 'NodeCapacity' }]);
  },
};
