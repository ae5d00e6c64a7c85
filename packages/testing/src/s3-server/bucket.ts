import type { AwsClient } from 'aws4fetch';

/** One bucket of a server, over its REST API. */
export interface S3Bucket {
  create(versioned: boolean): Promise<void>;
  put(key: string, body: string): Promise<void>;
  get(key: string): Promise<string>;
  list(prefix?: string): Promise<readonly string[]>;
  listVersions(prefix?: string): Promise<readonly string[]>;
}

/** Milliseconds one request may take. */
const limit = 30_000;

const versioning =
  '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>';

function decodeXml(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
  });
}

/** Texts of all elements of a name, in order. */
function texts(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => decodeXml(text));
}

/** @param url `ENDPOINT/BUCKET` */
export function bucketOf(signer: AwsClient, url: string): S3Bucket {
  const ask = async (method: string, target: string, body?: string): Promise<string> => {
    const init = { method, ...(body === undefined ? {} : { body }), signal: AbortSignal.timeout(limit) };
    const answer = await signer.fetch(target, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${target}: ${answer.status} ${text.slice(0, 500)}`);
    return text;
  };
  const objectUrl = (key: string) => `${url}/${key.split('/').map(encodeURIComponent).join('/')}`;
  /** Goes through all pages; `next` names the parameters of the page after this one, by the elements that hold them. */
  const pages = async (query: Readonly<Record<string, string>>, next: Readonly<Record<string, string>>) => {
    const keys: string[] = [];
    for (let more: Record<string, string> | undefined = {}; more; ) {
      const xml: string = await ask('GET', `${url}?${new URLSearchParams({ ...query, ...more })}`);
      keys.push(...texts(xml, 'Key'));
      const following = Object.entries(next).map(([name, element]) => [name, texts(xml, element)[0] ?? '']);
      more = texts(xml, 'IsTruncated')[0] === 'true' ? Object.fromEntries(following) : undefined;
    }
    return keys;
  };
  return {
    async create(versioned) {
      await ask('PUT', url);
      if (versioned) await ask('PUT', `${url}?versioning`, versioning);
    },
    async put(key, body) {
      await ask('PUT', objectUrl(key), body);
    },
    get: (key) => ask('GET', objectUrl(key)),
    list: (prefix = '') => pages({ 'list-type': '2', prefix }, { 'continuation-token': 'NextContinuationToken' }),
    listVersions: (prefix = '') =>
      pages({ versions: '', prefix }, { 'key-marker': 'NextKeyMarker', 'version-id-marker': 'NextVersionIdMarker' }),
  };
}
