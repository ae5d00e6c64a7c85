import { describe, expect, it } from 'vitest';
import { createTestApi, widget, widgets } from './test-api.ts';

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
/** Labels so short that who owns them takes as much as they do. */
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, '']));

describe('objects of more than 1.5 MiB', () => {
  it('are refused as etcd does', async () => {
    const api = await createTestApi();
    const big = (size: number) => widget('a', { size: 1, color: 'x'.repeat(size) });
    const refused = { code: 500, message: 'etcdserver: request is too large' };
    expect(await api.fails('POST', widgets, { body: big(1_573_000) })).toMatchObject(refused);
    expect((await api.fails('POST', widgets, { body: big(2_200_000) })).message).toMatch(
      /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d+ vs\. 2097152\)$/,
    );
    await api.ok('POST', widgets, { body: widget('a', { size: 1 }) });
    const patched = await api.fails('PATCH', `${widgets}/a`, { body: big(1_573_000), contentType: merge });
    expect(patched).toMatchObject(refused);
    expect((await api.ok('GET', `${widgets}/a`)).spec).toEqual({ size: 1, color: 'red' });
  });

  it('are kept when it is the record of their owners that is too much, but not for an apply', async () => {
    const api = await createTestApi();
    const body = widget('b', { color: 'x'.repeat(1_430_000) }, { labels: many(5_500) });
    const stored = await api.ok('POST', widgets, { body });
    expect(stored.metadata.managedFields).toBeUndefined();
    const query = { fieldManager: 'm', force: 'true' };
    expect(await api.fails('PATCH', `${widgets}/b`, { body, contentType: apply, query })).toMatchObject({
      code: 500,
      message: 'etcdserver: request is too large',
    });
  });
});
