import type { KubeObject } from '@coxswain/k8s';
import { silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { openStorage } from '../../../storage/index.ts';
import { addressRange } from './address-range.ts';
import { allocatorOf } from './allocator.ts';

const service = (name: string, spec: object): KubeObject =>
  Object.assign({ metadata: { name, namespace: 'default' } }, { spec });
const keyOf = (name: string) => ({ resource: '/services', namespace: 'default', name });

test('addresses and ports are unique, known from storage, and free again after a delete', async () => {
  const storage = await openStorage({ clock: new VirtualClock(), log: silentLogger, fsync: 'off' });
  storage.put(keyOf('old'), service('old', { clusterIPs: ['10.96.1.0'], ports: [{ nodePort: 30000 }] }));
  const allocator = allocatorOf(storage);
  expect(allocatorOf(storage)).toBe(allocator);
  expect(allocator.takeAddress()).toBe('10.96.1.1');
  expect(allocator.takeAddress()).toBe('10.96.1.2');
  expect(allocator.takePort()).toBe(30001);
  storage.put(keyOf('new'), service('new', { clusterIPs: ['10.96.200.1'], healthCheckNodePort: 31000 }));
  expect(allocator.hasAddress('10.96.200.1')).toBe(true);
  expect(allocator.hasPort(31000)).toBe(true);
  storage.put(keyOf('new'), service('new', { clusterIPs: ['None'] }));
  expect(allocator.hasAddress('10.96.200.1')).toBe(false);
  storage.delete(keyOf('old'));
  expect(allocator.hasPort(30000)).toBe(false);
});

test('the end of a range is reported, not looped over', async () => {
  const storage = await openStorage({ clock: new VirtualClock(), log: silentLogger, fsync: 'off' });
  const ports = Array.from({ length: 2768 }, (_, i) => ({ nodePort: 30000 + i }));
  storage.put(keyOf('all'), service('all', { clusterIPs: ['None'], ports }));
  expect(allocatorOf(storage).takePort()).toBeUndefined();
});

test('addresses outside the range have no place in it', () => {
  const { offsetOf } = addressRange('10.96.0.0/16');
  expect(offsetOf('10.96.0.1')).toBe(1);
  expect(offsetOf('10.96.255.255')).toBe(65535);
  for (const address of ['10.97.0.1', '10.96.0', '10.96.0.256', '::1', 'None'])
    expect(offsetOf(address)).toBeUndefined();
});

test('the range is the one that the ServiceCIDR of the cluster says', async () => {
  const storage = await openStorage({ clock: new VirtualClock(), log: silentLogger, fsync: 'off' });
  const key = { resource: 'networking.k8s.io/servicecidrs', namespace: '', name: 'kubernetes' };
  storage.put(key, Object.assign({ metadata: { name: 'kubernetes' } }, { spec: { cidrs: ['127.65.0.0/16'] } }));
  const allocator = allocatorOf(storage);
  expect(allocator.takeAddress()).toBe('127.65.1.0');
  expect(allocator.range.offsetOf('127.65.0.1')).toBe(1);
  expect(allocator.range.offsetOf('10.96.0.1')).toBeUndefined();
});

test.each(['', '10.96.0.0', '10.96.0.0/33', '10.96.0.1/16', '10.96.0.0/30', 'fd00::/108', 'x/16'])(
  'what is no range (%j) is refused',
  (text) => expect(() => addressRange(text)).toThrow('is no range of addresses for Services'),
);
