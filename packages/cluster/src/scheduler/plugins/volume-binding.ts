import type { Node, PersistentVolumeClaim, StorageClass } from '@coxswain/k8s';
import type { NodeInfo } from '../state/node-info.ts';
import { className, type PodClaims, podClaims, reachable, selectedNode, staticVolumes } from '../volumes/claims.ts';
import type { Cycle, Lookups, Plugin, Rejection } from './types.ts';

const name = 'VolumeBinding';
const reject = (reason: string): Rejection => ({ plugin: name, reasons: [reason], unresolvable: true });
const wrongNode = reject("node(s) didn't match PersistentVolume's node affinity");
const nothingFree = reject("node(s) didn't find available persistent volumes to bind");
const volumeGone = reject('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');

/** The provisioner of classes that make no volumes. */
const noProvisioner = 'kubernetes.io/no-provisioner';

function topologyAllows({ allowedTopologies }: StorageClass, node: Node): boolean {
  if (!allowedTopologies?.length) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(node.metadata.labels?.[key] ?? '')),
  );
}

function canBeMade(claim: PersistentVolumeClaim, node: Node, lookups: Lookups): boolean {
  const storageClass = lookups.storageClass(className(claim));
  if (!storageClass?.provisioner || storageClass.provisioner === noProvisioner) return false;
  return topologyAllows(storageClass, node);
}

function check({ bound, delayed }: PodClaims, node: Node, lookups: Lookups): Rejection | undefined {
  for (const { spec } of bound) {
    const volume = lookups.volume(spec?.volumeName ?? '');
    if (!volume) return volumeGone;
    if (!reachable(volume, node)) return wrongNode;
  }
  const asked = delayed.filter(({ metadata }) => metadata.annotations?.[selectedNode]);
  if (asked.some(({ metadata }) => metadata.annotations?.[selectedNode] !== node.metadata.name)) return nothingFree;
  const { left } = staticVolumes(
    delayed.filter((claim) => !asked.includes(claim)),
    node,
    lookups,
  );
  return [...asked, ...left].every((claim) => canBeMade(claim, node, lookups)) ? undefined : nothingFree;
}

/** Bound volumes lead to where they are; claims that wait for a pod need a volume, or somebody who makes one, at the node. */
export const volumeBinding: Plugin = {
  name,
  filter({ info, lookups }: Cycle) {
    if (info.claims.length === 0) return undefined;
    const claims = podClaims(info.pod, lookups);
    if (typeof claims === 'string') return reject(claims);
    return { check: ({ node }: NodeInfo) => (node ? check(claims, node, lookups) : wrongNode) };
  },
};
