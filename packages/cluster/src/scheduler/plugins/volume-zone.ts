import type { NodeInfo } from '../state/node-info.ts';
import type { Plugin, Rejection } from './types.ts';

const name = 'VolumeZone';
const conflict: Rejection = { plugin: name, reasons: ['node(s) had no available volume zone'], unresolvable: true };

/** Labels of volumes and nodes that mean a place, with the older name of each. */
const olderName: Readonly<Record<string, string>> = {
  'topology.kubernetes.io/zone': 'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region': 'failure-domain.beta.kubernetes.io/region',
};
const newerName = new Map(Object.entries(olderName).map(([now, before]) => [before, now]));
const places = [...Object.keys(olderName), ...newerName.keys()];

interface Place {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

function isIn({ key, values }: Place, node: NodeInfo): boolean {
  const other = olderName[key] ?? newerName.get(key) ?? key;
  const value = node.label(key) ?? node.label(other);
  return value !== undefined && values.has(value);
}

/** Volumes labelled with a zone or region are used there only. Nodes that have no such label are not asked. */
export const volumeZone: Plugin = {
  name,
  filter({ info, lookups }) {
    const wanted: Place[] = [];
    for (const claimName of info.claims) {
      const claim = lookups.claim(info.namespace, claimName);
      const labels = lookups.volume(claim?.spec?.volumeName ?? '')?.metadata.labels ?? {};
      for (const key of places) {
        const value = labels[key];
        if (value !== undefined) wanted.push({ key, values: new Set(value.split('__')) });
      }
    }
    if (wanted.length === 0) return undefined;
    return {
      check(node) {
        if (places.every((key) => node.label(key) === undefined)) return undefined;
        return wanted.every((place) => isIn(place, node)) ? undefined : conflict;
      },
    };
  },
};
