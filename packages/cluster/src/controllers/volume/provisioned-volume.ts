import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@coxswain/k8s';
import { claimReference } from './bind.ts';
import { provisionedBy, provisioner, requestedSize } from './names.ts';

/** The provisioner as drivers are named: without a slash. */
const driver = 'embedded.coxswain.io';

const hostname = 'kubernetes.io/hostname';

type Affinity = NonNullable<PersistentVolume['spec']>['nodeAffinity'];
type Requirement = { readonly key: string; readonly operator: 'In'; readonly values: readonly string[] };

function affinityOf(matchExpressions: readonly Requirement[]): Affinity {
  return matchExpressions.length === 0 ? undefined : { required: { nodeSelectorTerms: [{ matchExpressions }] } };
}

/** Nodes whose containers are processes keep volumes in folders of their own. */
function keepsFiles({ status }: Node): boolean {
  return status?.nodeInfo?.containerRuntimeVersion.startsWith('process://') ?? false;
}

/** Where a volume can be used: on the node that keeps its files, or else in the topology that the class allows; default: anywhere. */
export function volumeAffinity(storageClass: StorageClass, node: Node | undefined): Affinity {
  const own = node?.metadata.labels?.[hostname];
  if (node && own !== undefined && keepsFiles(node))
    return affinityOf([{ key: hostname, operator: 'In', values: [own] }]);
  const allowed = storageClass.allowedTopologies?.[0]?.matchLabelExpressions ?? [];
  return affinityOf(
    allowed.map(({ key, values }) => {
      const here = node?.metadata.labels?.[key];
      return { key, operator: 'In', values: here === undefined ? values : [here] };
    }),
  );
}

export function volumeNameOf({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

/** The volume a class makes for a claim. @param node the one that was chosen for the first pod, if its class waits for that */
export function provisionedVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: Node | undefined,
): PersistentVolume {
  const name = volumeNameOf(claim);
  const { accessModes = ['ReadWriteOnce'], volumeMode = 'Filesystem', volumeAttributesClassName } = claim.spec ?? {};
  const nodeAffinity = volumeAffinity(storageClass, node);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [provisionedBy]: provisioner } },
    spec: {
      accessModes,
      capacity: { storage: requestedSize(claim) },
      claimRef: claimReference(claim),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      volumeMode,
      // As of a storage driver: only such volumes can be given another class of attributes.
      csi: { driver, volumeHandle: name },
      ...(storageClass.mountOptions?.length ? { mountOptions: storageClass.mountOptions } : {}),
      ...(nodeAffinity ? { nodeAffinity } : {}),
      ...(volumeAttributesClassName ? { volumeAttributesClassName } : {}),
    },
  };
}
