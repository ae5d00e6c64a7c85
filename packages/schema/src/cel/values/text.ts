/** The number of code points, which is what CEL counts. */
export function textSize(text: string): number {
  let size = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(index + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      size -= 1;
      index += 1;
    }
  }
  return size;
}

/** Code points as an array that can be indexed; the text itself when every unit is one. */
export function codePoints(text: string): string | string[] {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

/** A part of {@link codePoints}, as text again. */
export function joinPoints(points: string | string[], from: number, to?: number): string {
  const part = points.slice(from, to);
  return typeof part === 'string' ? part : part.join('');
}
