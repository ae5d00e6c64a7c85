import type { Pod } from '@coxswain/k8s';

/** On a log pod: the shards that its store leads, as `0,1`; 0 is HAKeeper's own. Absent: none that is known. */
export const ANNOTATION_LEADS = 'matrixorigin.io/leads-shards';

/** What a log pod says of the shards its store leads; what somebody else wrote there is passed over. */
export function leadsOf({ metadata }: Pod): readonly number[] {
  const words = metadata.annotations?.[ANNOTATION_LEADS]?.split(',') ?? [];
  return words.filter((word) => /^\d+$/.test(word)).map(Number);
}
