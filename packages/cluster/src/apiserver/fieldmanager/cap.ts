import { union } from './field-set.ts';
import { type Claims, claimId, compareText, newClaim, seconds } from './managers.ts';

const maxUpdateManagers = 10;
const bucketName = 'ancient-changes';

/** Folds the oldest update entries of each version into one bucket until at most ten update entries are left. */
export function capUpdateManagers(claims: Claims): void {
  const updaters = [...claims].filter(([, claim]) => claim.operation === 'Update');
  let count = updaters.length;
  if (count <= maxUpdateManagers) return;
  updaters.sort(([a, x], [b, y]) => seconds(x.time) - seconds(y.time) || compareText(a, b));
  const firstOfVersion = new Map<string, string>();
  for (const [id, claim] of updaters) {
    if (count <= maxUpdateManagers) return;
    const bucket = newClaim({ manager: bucketName, apiVersion: claim.apiVersion, subresource: '' }, 'Update');
    const bucketId = claimId(bucket);
    const first = firstOfVersion.get(claim.apiVersion);
    if (first === undefined) firstOfVersion.set(claim.apiVersion, id);
    if (first === undefined || id === bucketId) continue;
    const old = claims.get(bucketId) ?? claims.get(first);
    if (!claims.has(bucketId)) claims.delete(first);
    const set = old ? union(claim.set, old.set) : claim.set;
    claims.delete(id);
    claims.set(bucketId, { ...bucket, set, ...(claim.time === undefined ? {} : { time: claim.time }) });
    count--;
  }
}
