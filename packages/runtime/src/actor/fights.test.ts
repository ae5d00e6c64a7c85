import { afterEach, expect, test } from 'vitest';
import { merge } from '../client/index.ts';
import type { Manager } from '../manager/index.ts';
import { Part, partPath, Widget, widget } from '../manager/test-kinds.ts';
import { child } from './index.ts';
import { part, setUpDesired } from './test-desired.ts';

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager.stop();
});

test('a child that another writer kept changing is put right when it has been left alone for long enough', async () => {
  const t = await setUpDesired(managers, { children: () => [child(Part, part('p'))] });
  await t.client.of(Widget).create(widget('w', 1));
  await t.clock.settle();
  const said = () => t.api.at<Part>(`${partPath}/p`)?.data;
  const wanted = said();
  for (let i = 0; i < 7; i++) {
    await t.clock.advance(200);
    await t.client.of(Part).patch({ namespace: 'default', name: 'p' }, merge({ data: { size: `9${i}` } }));
    await t.clock.settle();
  }
  expect(said()).not.toEqual(wanted);
  await t.clock.advance(300_000);
  expect(said()).toEqual(wanted);
});
