import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { className } from '../volumes/claims.ts';
import type { Cycle, Lookups, Plugin, Rejection } from './types.ts';

const name = 'NodeVolumeLimits';
const rejection: Rejection = { plugin: name, reasons: ['node(s) exceed max volume count'], unresolvable: false };

/** The volumes of a pod by their CSI driver; claims without a volume count for the driver of their class. */
function volumesOf({ pod, namespace, claims }: PodInfo, lookups: Lookups): Map<string, Set<string>> {
  const byDriver = new Map<string, Set<string>>();
  const add = (driver: string | undefined, id: string) => {
    if (driver) byDriver.set(driver, (byDriver.get(driver) ?? new Set()).add(id));
  };
  for (const claimName of claims) {
    const claim = lookups.claim(namespace, claimName);
    const csi = lookups.volume(claim?.spec?.volumeName ?? '')?.spec?.csi;
    if (csi) add(csi.driver, csi.volumeHandle);
    else if (claim) add(lookups.storageClass(className(claim))?.provisioner, `${namespace}/${claimName}`);
  }
  for (const volume of pod.spec?.volumes ?? []) add(volume.csi?.driver, `${pod.metadata.uid}/${volume.name}`);
  return byDriver;
}

function exceeds({ info, lookups }: Cycle, wanted: ReadonlyMap<string, ReadonlySet<string>>, node: NodeInfo): boolean {
  const drivers = lookups.csiNode(node.name)?.spec.drivers ?? [];
  const limits = new Map(drivers.map((driver) => [driver.name, driver.allocatable?.count]));
  if (![...wanted.keys()].some((driver) => limits.get(driver) !== undefined)) return false;
  const attached = new Map<string, Set<string>>();
  for (const other of [...node.pods.values(), info])
    for (const [driver, ids] of volumesOf(other, lookups))
      attached.set(driver, (attached.get(driver) ?? new Set()).union(ids));
  return [...wanted.keys()].some((driver) => (attached.get(driver)?.size ?? 0) > (limits.get(driver) ?? Infinity));
}

/** A node takes as many volumes of a CSI driver as its CSINode says. */
export const volumeLimits: Plugin = {
  name,
  filter(cycle) {
    const wanted = volumesOf(cycle.info, cycle.lookups);
    if (wanted.size === 0) return undefined;
    return { check: (node) => (exceeds(cycle, wanted, node) ? rejection : undefined) };
  },
};
