import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shardOf, shardsFor } from './index.ts';

const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 9 });
const count = fc.integer({ min: 1, max: 64 });

describe('sharing shards out', () => {
  it('gives each shard to one member, and to none more than an even share, rounded up', () => {
    fc.assert(
      fc.property(names, count, (members, shards) => {
        const all = members.map((member) => shardsFor(member, members, shards));
        expect(all.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: shards }, (_, i) => i));
        for (const mine of all) expect(mine.length).toBeLessThanOrEqual(Math.ceil(shards / members.length));
      }),
    );
  });

  it('comes to the same whatever the order in which members are known', () => {
    fc.assert(
      fc.property(names, count, (members, shards) => {
        for (const member of members)
          expect(shardsFor(member, members.toReversed(), shards)).toEqual(shardsFor(member, members, shards));
      }),
    );
  });

  it('moves few shards when a member comes', () => {
    const members = ['a', 'b', 'c'];
    const holders = (among: readonly string[]) =>
      new Map(among.flatMap((member) => shardsFor(member, among, 64).map((shard) => [shard, member] as const)));
    const [before, after] = [holders(members), holders([...members, 'd'])];
    const moved = [...before].filter(([shard, member]) => after.get(shard) !== member);
    // 16 go to the new one; a few more make the rest even.
    expect(moved.length).toBeLessThan(32);
  });

  it('spreads keys evenly', () => {
    const sizes = new Array<number>(16).fill(0);
    for (let i = 0; i < 16_000; i++) {
      const shard = shardOf(`default/echo-${i}`, 16);
      sizes[shard] = (sizes[shard] ?? 0) + 1;
    }
    expect(Math.min(...sizes)).toBeGreaterThan(850);
    expect(Math.max(...sizes)).toBeLessThan(1_150);
  });
});
