import { expect, test } from 'vitest';
import type { BucketClaim, LogSet } from '../api/index.ts';
import { recordings } from '../golden/test-recording.ts';
import { bucketUserFinalizer } from '../identity/index.ts';
import { newClaim, titleOf } from './claims.ts';

const recorded = recordings().flatMap(({ name, stored }) => {
  const claims = stored.all.filter(({ kind }) => kind === 'BucketClaim') as unknown as readonly BucketClaim[];
  return claims.map((claim) => ({ name, claim, stored }));
});

test('there are recorded claims', () => {
  expect(recorded.length).toBeGreaterThan(5);
});

test.each(recorded)('the claim of $name is as upstream made it', ({ claim, stored }) => {
  const [, logSetName = ''] = claim.status?.bindTo.split('/') ?? [];
  const logSet = stored.get('LogSet', logSetName) as LogSet;
  const { s3 } = logSet.spec.sharedStorage;
  if (!s3) throw new Error('the log service has no S3');
  const made = newClaim(logSet, { s3, template: {} }, true);
  expect(made.metadata).toMatchObject({
    labels: claim.metadata.labels ?? {},
    annotations: claim.metadata.annotations ?? {},
  });
  expect([made.spec.s3, titleOf(logSet)]).toEqual([claim.spec.s3, claim.status?.bindTo]);
  const users = [
    ...stored.of('DNSet').map(({ metadata: { namespace = '', name } }) => bucketUserFinalizer('DN', namespace, name)),
    ...stored.of('CNSet').map(({ metadata: { namespace = '', name } }) => bucketUserFinalizer('CN', namespace, name)),
  ];
  const [first, second, ...others] = claim.metadata.finalizers ?? [];
  expect(made.metadata.finalizers).toEqual([first, second]);
  expect([...others].sort()).toEqual(users.sort());
});
