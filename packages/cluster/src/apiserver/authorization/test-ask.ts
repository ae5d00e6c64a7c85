import { request } from 'node:https';
import { parse } from 'yaml';
import type { Step } from './test-setup.ts';

export interface Answer {
  readonly code: number;
  readonly body: unknown;
}

interface Config {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

/** Sends steps as the administrator of a kubeconfig, with the headers that make somebody else of them. */
export function asker(kubeconfig: string): (step: Step) => Promise<Answer> {
  const config = parse(kubeconfig) as Config;
  const cluster = config.clusters[0]?.cluster ?? {};
  const user = config.users[0]?.user ?? {};
  const bytes = (text: string | undefined) => (text === undefined ? {} : { value: Buffer.from(text, 'base64') });
  const cert = bytes(user['client-certificate-data']).value;
  const key = bytes(user['client-key-data']).value;
  return ({ method, path, body, as }) => {
    const extra = Object.fromEntries(
      (as?.extra ?? []).map((text) => [`Impersonate-Extra-${text.split('=')[0]}`, text.split('=')[1] ?? '']),
    );
    const headers = {
      'Content-Type': 'application/json',
      ...(user['token'] ? { Authorization: `Bearer ${user['token']}` } : {}),
      ...(as ? { 'Impersonate-User': as.user, ...extra } : {}),
      ...(as?.groups ? { 'Impersonate-Group': [...as.groups] } : {}),
    };
    return new Promise((resolve, reject) => {
      const asked = request(
        `${cluster['server']}${path}`,
        { method, headers, rejectUnauthorized: false, agent: false, ...(cert && key ? { cert, key } : {}) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const json = response.headers['content-type']?.startsWith('application/json') === true;
            resolve({ code: response.statusCode ?? 0, body: json ? (JSON.parse(text) as unknown) : text });
          });
        },
      );
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  };
}

const fleeting: Readonly<Record<string, string>> = {
  uid: '(uid)',
  resourceVersion: '(version)',
  creationTimestamp: '(time)',
  expirationTimestamp: '(time)',
  token: '(token)',
};

/** The answer without what is new each time; keys, and rules, which the real server has in no order, sorted. */
export function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'managedFields');
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, one]) => {
      if (fleeting[key] && typeof one === 'string') return [key, fleeting[key]];
      const next = normalised(one);
      return [key, key.endsWith('Rules') && Array.isArray(next) ? sorted(next) : next];
    }),
  );
}

const sorted = (list: readonly unknown[]): unknown[] =>
  [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
