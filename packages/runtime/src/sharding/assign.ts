/** FNV-1a over the text, then mixed so that every bit of the input moves every bit of the result: 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A short name for a text, of 16 hexadecimal digits. */
export function digestOf(text: string): string {
  return [text, `#${text}`].map((part) => hashOf(part).toString(16).padStart(8, '0')).join('');
}

/** The shard a key (`namespace/name`) is in: 0 … `shards` - 1, the same on every replica and for ever. */
export function shardOf(key: string, shards: number): number {
  return hashOf(key) % shards;
}

/**
 * Shares the shards out among members: each to the member that scores highest for it (rendezvous hashing), but to none more than its even
 * share, rounded up. Every member that knows the same members comes to the same answer; when one comes or goes, few shards move that
 * need not.
 * @returns the shards of `member`, in ascending order
 */
export function shardsFor(member: string, members: readonly string[], shards: number): readonly number[] {
  const room = new Map(members.map((name) => [name, Math.ceil(shards / members.length)]));
  const mine: number[] = [];
  for (let shard = 0; shard < shards; shard++) {
    let best: string | undefined;
    let score = -1;
    for (const [name, left] of room) {
      const rank = left > 0 ? hashOf(`${name}|${shard}`) : -1;
      if (rank > score || (rank === score && best !== undefined && name < best)) [best, score] = [name, rank];
    }
    if (best === undefined) continue;
    room.set(best, (room.get(best) ?? 0) - 1);
    if (best === member) mine.push(shard);
  }
  return mine;
}
