import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@coxswain/runtime/core';
import { AwsClient } from 'aws4fetch';
import { type Child, freePort, startChild, untilReady } from '../control-plane/child.ts';
import { goProgramPath, missingGoPrograms } from '../go-programs/index.ts';
import { bucketOf, type S3Bucket } from './bucket.ts';

/** Of a real S3 server; all of it optional. */
export interface S3ServerOptions {
  /** Milliseconds it may take until it is ready; default 30 000. */
  readonly timeout?: number;
  /** Address it listens on; default 127.0.0.1. */
  readonly host?: string;
  readonly clock?: Clock;
}

/** A real S3 server, empty. Buckets are addressed by path: `http://127.0.0.1:PORT/BUCKET/KEY`. */
export interface S3Server {
  /** `http://127.0.0.1:PORT` */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Makes a bucket; `versioned` keeps what is overwritten and deleted. */
  createBucket(name: string, options?: { readonly versioned?: boolean }): Promise<void>;
  put(bucket: string, key: string, body?: string): Promise<void>;
  /** @throws Error when there is no such object */
  get(bucket: string, key: string): Promise<string>;
  /** Keys that begin with `prefix`, in order. @throws Error when there is no such bucket */
  list(bucket: string, prefix?: string): Promise<readonly string[]>;
  /** Like `list`, and counts each version and each delete marker. */
  listVersions(bucket: string, prefix?: string): Promise<readonly string[]>;
  /** Ends it and removes its data. May be called twice. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const region = 'us-east-1';

function startGateway(clock: Clock, dir: string, args: readonly string[]): Child {
  return startChild(clock, 'versitygw', goProgramPath('versitygw'), [
    '--quiet',
    ...args,
    'posix',
    `--versioning-dir=${join(dir, 'versions')}`,
    `--sidecar=${join(dir, 'meta')}`,
    join(dir, 'data'),
  ]);
}

/**
 * Starts a real S3 server (versitygw) over a folder of its own, with one account.
 * @throws Error when it is not built, or with what it said when it does not come up
 */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const { timeout = 30_000, host = '127.0.0.1', clock = systemClock } = options;
  if ((await missingGoPrograms(['versitygw'])).length > 0)
    throw new Error('no S3 server: versitygw is not built; `./cox test s3` does, given Go');
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-s3-'));
  const [accessKey, secretKey] = [`AK${randomBytes(9).toString('hex')}`, randomBytes(20).toString('hex')];
  const port = await freePort();
  const endpoint = `http://${host}:${port}`;
  const signer = new AwsClient({
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    region,
    service: 's3',
    retries: 0,
  });
  const bucket = (name: string): S3Bucket => bucketOf(signer, `${endpoint}/${name}`);
  let child: Child | undefined;
  const stop = async () => {
    await child?.stop();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    for (const folder of ['data', 'meta', 'versions']) await mkdir(join(dir, folder));
    child = startGateway(clock, dir, [
      `--port=${host}:${port}`,
      `--access=${accessKey}`,
      `--secret=${secretKey}`,
      `--region=${region}`,
    ]);
    const answers = () =>
      signer.fetch(endpoint, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    await untilReady(clock, child, answers, timeout);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    endpoint,
    region,
    accessKey,
    secretKey,
    createBucket: (name, { versioned = false } = {}) => bucket(name).create(versioned),
    put: (name, key, body = '') => bucket(name).put(key, body),
    get: (name, key) => bucket(name).get(key),
    list: (name, prefix) => bucket(name).list(prefix),
    listVersions: (name, prefix) => bucket(name).listVersions(prefix),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
