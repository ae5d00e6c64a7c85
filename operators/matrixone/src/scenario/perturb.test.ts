import { beforeAll, expect, test } from 'vitest';
import { Life } from './test-life.ts';

type State = Readonly<Record<string, unknown>>;

/** Goes through one life; answers what there was when it was settled, after it was scaled, and at the end. */
async function live(life: Life): Promise<readonly State[]> {
  await life.create();
  await life.settled();
  const created = await life.state();
  await life.scale(4);
  await life.scale(1);
  const scaled = await life.state();
  await life.delete();
  return [created, scaled, await life.state()];
}

/** Of about 150 writes one in so many is tried here; 1 tries them all, twice each, which takes minutes. */
const stride = 29;
let undisturbed: readonly State[];
let creation = 0;
let whole = 0;

beforeAll(async () => {
  await using life = await Life.start();
  undisturbed = await live(life);
  expect(life.errors).toEqual([]);
  whole = life.writes;
  await using another = await Life.start();
  await another.create();
  await another.settled();
  creation = another.writes;
});

test('an undisturbed life ends with nothing left', () => {
  expect(Object.keys(undisturbed[0] ?? {}).length).toBeGreaterThan(20);
  expect(undisturbed[2]).toEqual({});
});

test('wherever an operator dies, the next one comes to the same', async () => {
  for (let write = 1; write <= whole; write += stride) {
    const when = write % 2 === 0 ? 'before' : 'after';
    await using life = await Life.start({ cut: { write, when } });
    expect(await live(life), `cut ${when} write ${write}`).toEqual(undisturbed);
    expect(life.errors, `cut ${when} write ${write}`).toEqual([]);
  }
});

test('whenever it is deleted on its way, nothing is left', async () => {
  for (let deleteAt = 1; deleteAt < creation - 5; deleteAt += stride) {
    await using life = await Life.start({ deleteAt });
    await life.create();
    await life.gone();
    expect(await life.state(), `deleted at write ${deleteAt}`).toEqual({});
    expect(life.errors, `deleted at write ${deleteAt}`).toEqual([]);
  }
});
