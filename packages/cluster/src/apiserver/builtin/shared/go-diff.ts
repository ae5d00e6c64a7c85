/**
 * The comparison of two values that the server puts behind some refusals: a unified difference of their indented JSON. Which lines
 * count as the same follows the well-known matching of the longest common blocks, in which lines that are very frequent do not start a block.
 */

interface Block {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly tag: 'equal' | 'change';
  readonly a1: number;
  readonly a2: number;
  readonly b1: number;
  readonly b2: number;
}

/** Lines of text around a change. */
const context = 3;
/** From this many lines on, lines that are more frequent than one in a hundred start no block. */
const longText = 200;

class Matcher {
  readonly #a: readonly string[];
  readonly #b: readonly string[];
  readonly #places = new Map<string, number[]>();

  constructor(a: readonly string[], b: readonly string[]) {
    this.#a = a;
    this.#b = b;
    b.forEach((line, i) => {
      const places = this.#places.get(line);
      if (places) places.push(i);
      else this.#places.set(line, [i]);
    });
    if (b.length < longText) return;
    const most = Math.floor(b.length / 100) + 1;
    for (const [line, places] of this.#places) if (places.length > most) this.#places.delete(line);
  }

  #longest(alo: number, ahi: number, blo: number, bhi: number): Block {
    let best: Block = { a: alo, b: blo, size: 0 };
    let lengths = new Map<number, number>();
    for (let i = alo; i < ahi; i++) {
      const next = new Map<number, number>();
      for (const j of this.#places.get(this.#a[i] ?? '') ?? []) {
        if (j < blo) continue;
        if (j >= bhi) break;
        const size = (lengths.get(j - 1) ?? 0) + 1;
        next.set(j, size);
        if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
      }
      lengths = next;
    }
    let { a, b, size } = best;
    while (a > alo && b > blo && this.#a[a - 1] === this.#b[b - 1]) [a, b, size] = [a - 1, b - 1, size + 1];
    while (a + size < ahi && b + size < bhi && this.#a[a + size] === this.#b[b + size]) size++;
    return { a, b, size };
  }

  #match(alo: number, ahi: number, blo: number, bhi: number): readonly Block[] {
    const block = this.#longest(alo, ahi, blo, bhi);
    if (block.size === 0) return [];
    const before = alo < block.a && blo < block.b ? this.#match(alo, block.a, blo, block.b) : [];
    const [aEnd, bEnd] = [block.a + block.size, block.b + block.size];
    const after = aEnd < ahi && bEnd < bhi ? this.#match(aEnd, ahi, bEnd, bhi) : [];
    return [...before, block, ...after];
  }

  changes(): readonly Change[] {
    const blocks = [
      ...this.#match(0, this.#a.length, 0, this.#b.length),
      { a: this.#a.length, b: this.#b.length, size: 0 },
    ];
    const changes: Change[] = [];
    let [a, b] = [0, 0];
    for (const block of blocks) {
      if (a < block.a || b < block.b) changes.push({ tag: 'change', a1: a, a2: block.a, b1: b, b2: block.b });
      [a, b] = [block.a + block.size, block.b + block.size];
      if (block.size > 0) changes.push({ tag: 'equal', a1: block.a, a2: a, b1: block.b, b2: b });
    }
    return joined(changes);
  }
}

/** Equal stretches that follow each other are one. */
function joined(changes: readonly Change[]): readonly Change[] {
  const result: Change[] = [];
  for (const change of changes) {
    const last = result.at(-1);
    if (last && last.tag === 'equal' && change.tag === 'equal')
      result[result.length - 1] = { ...last, a2: change.a2, b2: change.b2 };
    else result.push(change);
  }
  return result;
}

/** The changes with their surroundings, those that are near each other together. */
function grouped(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = [];
  let group: Change[] = [];
  changes.forEach((change, i) => {
    if (change.tag !== 'equal') {
      group.push(change);
      return;
    }
    const lines = change.a2 - change.a1;
    const head = {
      ...change,
      a2: Math.min(change.a2, change.a1 + context),
      b2: Math.min(change.b2, change.b1 + context),
    };
    const tail = {
      ...change,
      a1: Math.max(change.a1, change.a2 - context),
      b1: Math.max(change.b1, change.b2 - context),
    };
    if (i === 0) group.push(tail);
    else if (i === changes.length - 1) group.push(head);
    else if (lines <= 2 * context) group.push(change);
    else {
      groups.push([...group, head]);
      group = [tail];
    }
  });
  if (group.some(({ tag }) => tag !== 'equal')) groups.push(group);
  return groups;
}

function rangeText(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}

function linesOf(value: unknown): readonly string[] {
  const text = JSON.stringify(value, undefined, ' ');
  const escaped = text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.split('\n').map((line) => `${line}\n`);
}

/** How `b` differs from `a`; empty when it does not. */
export function goDiff(a: unknown, b: unknown): string {
  const [before, after] = [linesOf(a), linesOf(b)];
  let text = '';
  for (const group of grouped(new Matcher(before, after).changes())) {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) continue;
    text += `@@ -${rangeText(first.a1, last.a2)} +${rangeText(first.b1, last.b2)} @@\n`;
    for (const { tag, a1, a2, b1, b2 } of group) {
      const old = before.slice(a1, a2);
      if (tag === 'equal') text += old.map((line) => ` ${line}`).join('');
      else text += [...old.map((line) => `-${line}`), ...after.slice(b1, b2).map((line) => `+${line}`)].join('');
    }
  }
  return text;
}
