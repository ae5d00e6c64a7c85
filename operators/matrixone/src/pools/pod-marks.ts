import type { Pod } from '@coxswain/k8s';
import {
  ANNOTATION_RECLAIMED_AT,
  type CNClaim,
  LABEL_CLAIM_SET,
  LABEL_CLAIMED_BY,
  LABEL_LAST_OWNER,
  LABEL_OWNER,
  LABEL_PHASE,
} from '../api/index.ts';
import type { MetadataChange } from '../cnstore/index.ts';

type Labels = Readonly<Record<string, string>>;

/** Keys by which pods are found: a claim that named one of them would tear its pod out of its set or pool. */
const reserved = /^(pool\.)?matrixorigin\.io\/|^matrixone\.cloud\/|\.kruise\.io\//;

function additionalLabels({ spec }: CNClaim): Labels {
  return Object.fromEntries(Object.entries(spec?.additionalPodLabels ?? {}).filter(([key]) => !reserved.test(key)));
}

/** How a pod is marked as a claim's. */
export function boundMarks(claim: CNClaim): MetadataChange {
  return {
    exact: true,
    labels: {
      ...additionalLabels(claim),
      [LABEL_PHASE]: 'Bound',
      [LABEL_CLAIMED_BY]: claim.metadata.name,
      [LABEL_CLAIM_SET]: claim.metadata.labels?.[LABEL_CLAIM_SET] ?? null,
      [LABEL_OWNER]: claim.spec?.ownerName || null,
    },
  };
}

/** How a pod is marked that a claim gives back to its pool. @param at time of day, RFC 3339 */
export function reclaimedMarks(claim: CNClaim, pod: Pod, at: string): MetadataChange {
  const owner = pod.metadata.labels?.[LABEL_OWNER];
  const gone = Object.fromEntries(Object.keys(additionalLabels(claim)).map((key) => [key, null]));
  return {
    exact: true,
    labels: {
      ...gone,
      [LABEL_PHASE]: 'Draining',
      [LABEL_CLAIMED_BY]: null,
      [LABEL_CLAIM_SET]: null,
      [LABEL_OWNER]: null,
      ...(owner === undefined ? {} : { [LABEL_LAST_OWNER]: owner }),
    },
    annotations: { [ANNOTATION_RECLAIMED_AT]: at },
  };
}
