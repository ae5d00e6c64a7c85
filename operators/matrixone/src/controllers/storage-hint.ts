import type { S3Storage } from '../api/index.ts';

/** What MatrixOne takes where no region is named. */
const unnamed = 'us-west-2';

/** An address as it may be told: what stands before an `@` in it is a password. */
function plain(endpoint: string): string {
  return endpoint.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/@]*@/i, '$1');
}

/**
 * What to look at when a node does not get going: each one asks for its bucket at the start and ends when it is refused. The operator does not
 * ask itself: it is elsewhere in the network, and may not have the keys (`docs/decisions/013-matrixone-buckets.md`).
 */
export function storageHint({ path, endpoint, region, secretRef, certificateRef }: S3Storage): string {
  const where = endpoint ? ` at ${plain(endpoint)}` : '';
  const area = `, region ${region || `${unnamed} (none is named)`}`;
  const secrets = [
    ...(secretRef ? [`the keys of Secret ${secretRef.name}`] : []),
    ...(certificateRef ? [`the certificates of Secret ${certificateRef.name}`] : []),
  ];
  const by = secrets.length > 0 ? `, with ${secrets.join(' and ')}` : '';
  return `its log says whether it is its object storage: S3 path ${path}${where}${area}${by}`;
}
