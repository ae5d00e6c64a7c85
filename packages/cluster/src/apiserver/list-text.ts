const comma = Buffer.from(',');
const openBrace = Buffer.from('{');
const end = Buffer.from(']}');

/** How the text of a stored object begins: objects say first what they are. */
export function textBeginning(apiVersion: unknown, kind: unknown): Buffer {
  return Buffer.from(`${JSON.stringify({ apiVersion, kind }).slice(0, -1)},`);
}

/**
 * The text of a list in pieces, to be joined once, made of the texts of its items, which are shared and left as they are.
 * @param head the list's own text, up to the bracket that opens `items`
 * @param beginning the {@link textBeginning} that items go without, where the list says it for all
 */
export function listText(head: string, items: readonly Buffer[], beginning?: Buffer): Buffer[] {
  const pieces: Buffer[] = [Buffer.from(head)];
  for (const [index, item] of items.entries()) {
    if (index > 0) pieces.push(comma);
    if (beginning && item.subarray(0, beginning.length).equals(beginning))
      pieces.push(openBrace, item.subarray(beginning.length));
    else pieces.push(item);
  }
  pieces.push(end);
  return pieces;
}
