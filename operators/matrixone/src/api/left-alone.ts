import { ANNOTATION_SKIP_SYNC } from './constants.ts';
import type { MatrixOneCluster } from './matrixonecluster.ts';

/** Whether nothing is made for a cluster any more: it goes, or its users have told the operator to leave it alone. */
export function isLeftAlone({ metadata }: MatrixOneCluster): boolean {
  return metadata.deletionTimestamp !== undefined || !!metadata.annotations?.[ANNOTATION_SKIP_SYNC];
}
