import { AwsClient } from 'aws4fetch';
import type { ObjectStore, Place, S3Access } from './object-store.ts';

/** Milliseconds one request may take, and how often one that the server could not answer is sent again. */
const [limit, retries] = [20_000, 3];
/** Where nothing says which. */
const defaultRegion = 'us-east-1';

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const decodeXml = (text: string) =>
  text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
    name !== undefined
      ? (named[name] ?? whole)
      : String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)),
  );
const texts = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => decodeXml(text));
const encodeKey = (key: string) => key.split('/').map(encodeURIComponent).join('/');

function senderOf({ accessKeyId, secretAccessKey, region }: S3Access) {
  if (!accessKeyId || !secretAccessKey) return fetch;
  const all = { accessKeyId, secretAccessKey, region: region || defaultRegion, service: 's3', retries };
  const signer = new AwsClient(all);
  return (url: string, init: RequestInit) => signer.fetch(url, init);
}

/** Objects below a prefix of a bucket, which is addressed by its path. What fails says what was asked, and never the keys. */
export function s3Store({ endpoint, bucket, prefix }: Place & { kind: 's3' }, access: S3Access): ObjectStore {
  const host = /^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  const base = `${host.replace(/\/+$/, '')}/${encodeKey(bucket)}`;
  const folder = prefix.replace(/^\/+|\/+$/g, '');
  const root = folder === '' ? '' : `${folder}/`;
  const send = senderOf(access);
  const ask = async (method: string, url: string, body?: string) => {
    const init = { method, signal: AbortSignal.timeout(limit), ...(body === undefined ? {} : { body }) };
    const response = await send(url, init);
    const text = await response.text();
    if (response.ok) return text;
    const code = texts(text, 'Code')[0] ?? response.status;
    if (method === 'GET' && code === 'NoSuchKey') return undefined;
    throw new Error(`${method} ${url.split('?', 1)[0]}: ${code}: ${texts(text, 'Message')[0] ?? response.statusText}`);
  };
  return {
    async put(key, body) {
      await ask('PUT', `${base}/${encodeKey(root + key)}`, body);
    },
    get: (key) => ask('GET', `${base}/${encodeKey(root + key)}`),
    async list(inner = '') {
      const keys: string[] = [];
      for (let token: string | undefined = ''; token !== undefined; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: root + inner });
        if (token !== '') query.set('continuation-token', token);
        const page: string = (await ask('GET', `${base}?${query}`)) ?? '';
        keys.push(...texts(page, 'Key').map((key) => key.slice(root.length)));
        token = texts(page, 'IsTruncated')[0] === 'true' ? texts(page, 'NextContinuationToken')[0] : undefined;
      }
      return keys.sort();
    },
  };
}
