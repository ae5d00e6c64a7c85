import { expect, test } from 'vitest';
import {
  bucketUniqueId,
  bucketUserFinalizer,
  cnStoreUuid,
  deploymentId,
  logStoreUuid,
  shortDigest,
  tnStoreUuid,
} from './index.ts';

test('store UUIDs follow the ordinal or the DNS name [case 1]', () => {
  expect(logStoreUuid(0)).toBe('00000000-0000-0000-0000-000000000000');
  expect(logStoreUuid(17)).toBe('00000000-0000-0000-0000-000000000011');
  expect(tnStoreUuid(2)).toBe('00000000-0000-0000-0000-100000000002');
  expect(cnStoreUuid('default-cn-0', 'default-cn-headless', 'test')).toBe('64396564-3061-3238-3164-363835623561');
  expect(cnStoreUuid('mo-tp-cn-abc12', 'mo-tp-cn-headless', 'prod')).toBe('63653439-6562-3138-3966-326133366132');
});

test('digests keep the first seven digits [case 21]', () => {
  expect(shortDigest('')).toBe('ef46db3');
  expect(shortDigest('hello world')).toBe('45ab673');
  expect(shortDigest('{"config.toml":"x = \\"1\\"\\n","start.sh":"a\\u003cb \\u0026\\u0026 c\\u003ed\\n"}')).toBe(
    '5a04a16',
  );
});

test('deployment ids come from the name alone', () => {
  expect(deploymentId('mo')).toBe(8850055262063083118n);
  expect(deploymentId('test')).toBe(2877348464167207068n);
});

test('buckets are known by the raw texts of the spec', () => {
  const minio = { type: 'minio', endpoint: 'http://minio.default:9000', path: 'matrixone' };
  expect(bucketUniqueId(minio)).toBe('a14f5274995caf9859c2470630f9aa0c4a64f04b');
  expect(bucketUniqueId({ path: 'test/data' })).toBe('59c5f4d096bbd23368f34c327300f779e24faa34');
  expect(bucketUserFinalizer('CN', 'default', 'mo-tp')).toBe('matrixorigin.io/CN-b22b73f');
  expect(bucketUserFinalizer('DN', 'default', 'mo')).toBe('matrixorigin.io/DN-62e6fe6');
});
