import { describe, expect, it } from 'vitest';
import { Part, widget } from '../manager/test-kinds.ts';
import { child, orderChildren } from './child-plan.ts';
import { part } from './test-desired.ts';

const of = { owner: widget('w'), owns: [Part] };
const named = (id: string, ...after: readonly string[]) => child(Part, part(id), { id, after });
const order = (...children: readonly ReturnType<typeof child>[]) => orderChildren(children, of).map(({ id }) => id);

describe('orderChildren', () => {
  it('puts each after those it waits for, and leaves the order alone otherwise', () => {
    expect(order(named('d', 'b', 'c'), named('a'), named('c', 'a'), named('b', 'a'))).toEqual(['a', 'b', 'c', 'd']);
    expect(order(named('a'), named('b'), named('c', 'a'))).toEqual(['a', 'b', 'c']);
  });

  it.each([10_000, 100_000])('orders a chain of %i', (count) => {
    const chain = Array.from({ length: count }, (_, i) => named(`${i}`, ...(i + 1 < count ? [`${i + 1}`] : [])));
    const ordered = order(...chain);
    expect(ordered).toHaveLength(count);
    expect([ordered[0], ordered.at(-1)]).toEqual([`${count - 1}`, '0']);
  });

  it('orders a lattice in which every way is a long one', () => {
    const rows = Array.from({ length: 60 }, (_, i) => i);
    const lattice = rows.flatMap((i) => {
      const next = i + 1 < rows.length ? [`l${i + 1}`, `r${i + 1}`] : [];
      return [named(`l${i}`, ...next), named(`r${i}`, ...next)];
    });
    expect(order(...lattice)).toHaveLength(120);
  });

  it('names a circle, and only it', () => {
    expect(() => order(named('x', 'a'), named('a', 'b'), named('b', 'c'), named('c', 'a'))).toThrow(
      'children wait for each other: a after b after c after a; break the circle',
    );
    expect(() => order(named('a', 'a'))).toThrow('children wait for each other: a after a;');
    const ring = Array.from({ length: 5_000 }, (_, i) => named(`${i}`, `${(i + 1) % 5_000}`));
    expect(() => order(...ring)).toThrow(
      /^children wait for each other: 0 after 1 .*after and 4990 more after 0; break the circle$/,
    );
  });

  it('names an unknown id, and not all the others', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => named(`${i}`));
    expect(() => order(...many, named('z', 'x'))).toThrow(
      /^child "z" comes after "x", which is none of .{1,100}and 4991 more$/,
    );
  });
});
