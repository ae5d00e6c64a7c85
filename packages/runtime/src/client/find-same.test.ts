import { expect, test } from 'vitest';
import { VirtualClock } from '../core/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { findSame } from './index.ts';

test('an object is the same until it is gone, and another one of its name is not', async () => {
  const client = new TestApi(new VirtualClock()).client();
  const first = await client.of(Widget).create(widget('w'));
  expect((await findSame(client, Widget, first))?.metadata.uid).toBe(first.metadata.uid);
  await client.of(Widget).delete({ namespace: 'default', name: 'w' });
  expect(await findSame(client, Widget, first)).toBeUndefined();
  const second = await client.of(Widget).create(widget('w'));
  expect(await findSame(client, Widget, first)).toBeUndefined();
  expect(await findSame(client, Widget, second)).toBeDefined();
});
