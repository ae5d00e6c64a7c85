import { expect, test } from 'vitest';
import { commonEnv } from './env.ts';

const spec = { replicas: 1, memoryLimitPercent: 90, resources: { limits: { memory: '1Gi' } } };
const limit = (more: object = {}) => commonEnv({ ...spec, ...more }).find(({ name }) => name === 'GOMEMLIMIT')?.value;

test('the Go runtime gets its part of the memory limit, also without an overlay', () => {
  expect(limit()).toBe('966367641');
  expect(limit({ overlay: { env: [{ name: 'GOMEMLIMIT', value: '1' }] } })).toBeUndefined();
  expect(limit({ resources: {} })).toBeUndefined();
});

test('the suffix of the configuration is told from the version that knows of it on, and by all later ones', () => {
  const told = (operatorVersion?: string) =>
    commonEnv({ replicas: 1, ...(operatorVersion ? { operatorVersion } : {}) }).some(
      ({ name }) => name === 'CONFIG_SUFFIX',
    );
  expect([told(), told('1.2.0'), told('1.3.0'), told('1.3.1'), told('1.4.0')]).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});
