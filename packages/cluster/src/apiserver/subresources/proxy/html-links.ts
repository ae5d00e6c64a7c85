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

/** Comments and the like, elements whose content is no markup, and start tags. */
const pieces =
  /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>|<(script|style|textarea|title|xmp|noscript|noframes)\b(?:"[^"]*"|'[^']*'|[^'">])*>[\s\S]*?(?=<\/\1\b|$)|<[A-Za-z](?:"[^"]*"|'[^']*'|[^'">])*>/gi;

const tag = /^<([A-Za-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*>)/;
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

function rewriteTag(text: string, rewrite: (link: string) => string): string {
  const found = tag.exec(text);
  const names = linkAttributes[found?.[1]?.toLowerCase() ?? ''];
  if (!found || !names) return text;
  const [whole, name, inside = ''] = found;
  const changed = inside.replace(attribute, (same: string, key: string, equals: string, value: string) => {
    if (!names.includes(key.toLowerCase())) return same;
    const link = plain(/^["']/.test(value) ? value.slice(1, -1) : value);
    const next = rewrite(link);
    return next === link ? same : `${key}${equals}"${escaped(next)}"`;
  });
  return `<${name}${changed}${text.slice(whole.length)}`;
}

/** A page with its links rewritten; the rest of it stays as it is. */
export function rewriteLinks(html: string, rewrite: (link: string) => string): string {
  return html.replace(pieces, (piece) => (/^<[A-Za-z]/.test(piece) ? rewriteTag(piece, rewrite) : piece));
}
