import { tokenClaims } from './token-claims.ts';
import type { Answer, RawAnswer } from './types.ts';

const uidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const timePattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const suffix = '[bcdfghjklmnpqrstvwxz2456789]{5}';

/** Headers that are compared by value. Those of priority and fairness, which the embedded server does not have, are left out. */
const shownHeaders = ['content-type', 'cache-control', 'retry-after', 'vary', 'location', 'allow'];
/** Headers that are compared as being there. */
const presentHeaders = ['audit-id', 'etag'];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Texts in which a server mentions its revisions. */
const revisionTexts: readonly (readonly [RegExp, string])[] = [
  [/(current: |too old resource version: \d+ \()\d+/g, '$1<rv>'],
  [/(object not decodable revision=)\d+/g, '$1<rv>'],
  [/(ResourceVersion in object meta: )\d+/g, '$1<rv>'],
  [/(does not match the ResourceVersion in record \()\d+/g, '$1<rv>'],
  [/\b(kube-api-access-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1<suffix>'],
  [/(^|,)(\d+):3\d{4}(\/[A-Z]+)/g, '$1$2:<nodeport>$3'],
  [/(\\?"resourceVersion\\?":\\?")\d+/g, '$1<rv>'],
  [/(trying to send message larger than max \()\d+/g, '$1<size>'],
  [/\((\d+s|\d+m\d*s?) ago\)/g, '(<age> ago)'],
  [/\b(Bad_)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1<suffix>'],
  [/(ResourceVersion in precondition: )[1-9]\d{1,8}(?!\d)/g, '$1<rv>'],
];

/**
 * Takes away what differs from run to run, and keeps what is equal in every run: uids and resourceVersions are numbered in the
 * order of their appearance within one scenario, so that it still shows which are the same.
 */
export class Normaliser {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #generated = new Set<string>();

  answer(raw: RawAnswer): Answer {
    return {
      status: raw.status,
      ...(raw.headers ? { headers: this.#headers(raw.headers) } : {}),
      ...(raw.warnings.length > 0 ? { warnings: raw.warnings.map((text) => this.#text(text)) } : {}),
      body: this.value(raw.body),
    };
  }

  value(value: unknown): unknown {
    this.#noteGenerated(value);
    return this.#visit(value, '');
  }

  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const kept: Record<string, string> = {};
    for (const name of shownHeaders) if (headers[name] !== undefined) kept[name] = headers[name];
    for (const name of presentHeaders) if (headers[name] !== undefined) kept[name] = '<present>';
    return kept;
  }

  #noteGenerated(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#noteGenerated(item);
    if (!isRecord(value)) return;
    const { generateName, name } = value;
    if (typeof generateName === 'string' && typeof name === 'string' && name.startsWith(generateName)) {
      if (new RegExp(`^${suffix}$`).test(name.slice(generateName.length))) this.#generated.add(name);
    } else if (typeof generateName === 'string' && typeof name === 'string') this.#generated.add(name);
    for (const part of Object.values(value)) this.#noteGenerated(part);
  }

  #visit(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#visit(item, key));
    if (isRecord(value)) return this.#record(value);
    if (typeof value === 'number')
      return key.endsWith('odePort') && value >= 30_000 && value <= 33_000 ? '<nodeport>' : value;
    if (typeof value !== 'string') return value;
    const claims = value.startsWith('eyJ') ? tokenClaims(value) : undefined;
    return claims === undefined ? this.#string(value, key) : this.#visit(claims, '');
  }

  #record(value: Record<string, unknown>): unknown {
    const { kind, rows } = value;
    const entries = Object.entries(value).map(([name, part]) => {
      const key = this.#text(name);
      const collection = key === 'metadata' && (String(kind).endsWith('List') || kind === 'Table');
      if (collection && isRecord(part) && part['resourceVersion'] !== undefined)
        return [key, this.#visit({ ...part, resourceVersion: '<list-rv>' }, key)];
      if (key === 'rows' && Array.isArray(rows)) return [key, rows.map((row) => this.#row(row))];
      // discovery documents: by name, because one server may serve more
      const named =
        key === 'resources' ||
        key === 'subresources' ||
        key === 'groups' ||
        (key === 'items' && kind === 'APIGroupDiscoveryList');
      if (named && Array.isArray(part) && part.every(isRecord)) return [key, this.#byName(part)];
      // ordered by their whole seconds, which differ from run to run
      if (key === 'managedFields' && Array.isArray(part)) return [key, this.#visit(part.toSorted(byManager), key)];
      // one of the two has what controllers bring into a namespace
      if (key === 'items' && Array.isArray(part))
        return [key, part.filter(isNoFixture).map((item) => this.#visit(item, ''))];
      return [key, this.#visit(part, key)];
    });
    return Object.fromEntries(entries);
  }

  #byName(items: readonly unknown[]): unknown {
    const nameOf = (item: unknown) => {
      if (!isRecord(item)) return '';
      const { name, resource, subresource, metadata } = item;
      return String(name ?? subresource ?? resource ?? (isRecord(metadata) ? metadata['name'] : ''));
    };
    return Object.fromEntries(items.map((item) => [nameOf(item), this.#visit(item, '')]));
  }

  #row(row: unknown): unknown {
    if (!isRecord(row) || !Array.isArray(row['cells'])) return this.#visit(row, '');
    const cells = row['cells'].map((cell) =>
      /^(\d+s|\d+m\d*s?|\d+d\d*h?|\d+y\d*d?)$/.test(String(cell)) ? '<age>' : this.#visit(cell, ''),
    );
    return this.#visit({ ...row, cells }, '');
  }

  #string(value: string, key: string): string {
    if (key === 'resourceVersion' && /^[1-9]\d*$/.test(value)) return numbered(this.#versions, value, 'rv');
    if (key === 'continue' && value !== '') return continueText(value);
    if (/^10\.96\.\d+\.\d+$/.test(value)) return '<ip>';
    return this.#text(value);
  }

  #text(text: string): string {
    let result = text
      .replaceAll(uidPattern, (uid) => numbered(this.#uids, uid, 'uid'))
      .replaceAll(timePattern, '<time>');
    for (const [pattern, replacement] of revisionTexts) result = result.replaceAll(pattern, replacement);
    for (const name of this.#generated) result = result.replaceAll(name, `${name.slice(0, -5)}<suffix>`);
    return result;
  }
}

function numbered(known: Map<string, string>, value: string, word: string): string {
  const token = known.get(value) ?? `<${word}:${known.size + 1}>`;
  known.set(value, token);
  return token;
}

function byManager(a: unknown, b: unknown): number {
  const text = (entry: unknown) => {
    if (!isRecord(entry)) return '';
    const { operation, manager, apiVersion, subresource = '' } = entry;
    return [operation, manager, apiVersion, subresource].join(' ');
  };
  return text(a) < text(b) ? -1 : 1;
}

function isNoFixture(item: unknown): boolean {
  return !(isRecord(item) && isRecord(item['metadata']) && item['metadata']['name'] === 'kube-root-ca.crt');
}

/** The parts of a continue token that do not depend on the run. */
function continueText(token: string): string {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isRecord(parsed)) {
      const start = String(parsed['start']).replace(/^.*\//, '');
      return JSON.stringify({ ...parsed, rv: parsed['rv'] === -1 ? -1 : '<rv>', start });
    }
  } catch {
    // shown as it is
  }
  return token;
}
