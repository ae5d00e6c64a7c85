/** A name with a scheme and a port around it, as proxies take it. */
export interface ProxyTarget {
  /** `''`, `http` or `https`. */
  readonly scheme: string;
  readonly name: string;
  /** A number or a name; `''` when none is given. */
  readonly port: string;
}

const schemes = new Set(['', 'http', 'https']);

/** Reads `name`, `name:port` and `scheme:name:port`. `undefined` for anything else. */
export function readTarget(text: string): ProxyTarget | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  return name !== '' && schemes.has(scheme) ? { scheme, name, port } : undefined;
}
