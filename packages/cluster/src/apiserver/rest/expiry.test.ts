import { expect, it } from 'vitest';
import { configMap, configMaps, createTestApi, testResources } from './test-api.ts';

it('deletes objects of kinds with a time to live, counted from their last write', async () => {
  const [maps] = testResources;
  if (!maps) throw new Error('no test resources');
  const api = await createTestApi({ resources: [{ ...maps, strategy: { ttlSeconds: 60 } }] });
  for (const name of ['a', 'b']) await api.ok('POST', configMaps, { body: configMap(name) });
  const watch = await api.watch(configMaps, { resourceVersion: String(api.storage.revision) });
  await api.clock.advance(40_000);
  await api.ok('PUT', `${configMaps}/a`, { body: configMap('a', { again: 'yes' }) });
  await api.ok('POST', configMaps, { body: configMap('c') });
  await api.ok('DELETE', `${configMaps}/c`);
  watch.take();
  await api.clock.advance(20_000);
  expect(watch.take()).toEqual(['DELETED b']);
  await api.clock.advance(39_999);
  expect(watch.take()).toEqual([]);
  await api.clock.advance(1);
  expect(watch.take()).toEqual(['DELETED a']);
  api.server.close();
  expect(api.clock.untilNext).toBeUndefined();
});
