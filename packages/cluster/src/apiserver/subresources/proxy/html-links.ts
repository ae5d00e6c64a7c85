/** Attributes that hold links, by element. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Elements whose content is no markup. */
const opaque = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'noscript', 'noframes', 'iframe', 'noembed']);

const tag = /<([A-Za-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*>)/y;
const attribute = /([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/g;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
};
const plain = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos|#39|#34);/g, (_, name) => entities[name] ?? '');
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/"/g, '&#34;').replace(/</g, '&lt;');

/** The attributes of a start tag, rewritten. */
function rewriteAttributes(name: string, inside: string, rewrite: (link: string) => string): string {
  const names = linkAttributes[name];
  if (!names) return inside;
  return inside.replace(attribute, (same: string, key: string, equals: string, value: string) => {
    if (!names.includes(key.toLowerCase())) return same;
    const link = plain(/^["']/.test(value) ? value.slice(1, -1) : value);
    const next = rewrite(link);
    return next === link ? same : `${key}${equals}"${escaped(next)}"`;
  });
}

/** Where a comment, a declaration or an opaque element's content ends. `-1`: it does not. */
function endOf(html: string, end: RegExp, from: number): number {
  end.lastIndex = from;
  return end.exec(html) ? end.lastIndex : -1;
}

/** A page with its links rewritten; the rest of it stays as it is, what is not finished at its end too. */
export function rewriteLinks(html: string, rewrite: (link: string) => string): string {
  let written = '';
  let done = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const next = html[at + 1] ?? '';
    if (next === '!' || next === '?') {
      at = endOf(html, html.startsWith('<!--', at) ? /-->/g : />/g, at);
      if (at < 0) break;
      continue;
    }
    tag.lastIndex = at;
    const found = /[A-Za-z]/.test(next) ? tag.exec(html) : undefined;
    if (found === null) break;
    if (!found) {
      at++;
      continue;
    }
    const [whole, asWritten = '', inside = ''] = found;
    const name = asWritten.toLowerCase();
    written += `${html.slice(done, at)}<${asWritten}${rewriteAttributes(name, inside, rewrite)}`;
    at += whole.length;
    done = at;
    if (opaque.has(name) && !whole.endsWith('/>')) at = endOf(html, new RegExp(`(?=</${name}\\b)`, 'gi'), at);
    if (at < 0) break;
  }
  return written + html.slice(done);
}
