import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { awsCliPath, type S3Server, startS3Server } from '@coxswain/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { S3Storage } from '../api/index.ts';
import { cleanScript } from './clean-script.ts';

const aws = await awsCliPath();
/** `./cox test s3` fetches both, and asks for these tests, which take minutes. */
const isAsked = process.env['COX_S3'] === '1';

interface Finished {
  readonly code: number;
  readonly said: string;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coxswain-clean-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a script as the cleaning pod would, with nothing of this machine's settings. */
function run(script: string, env: Readonly<Record<string, string>>): Promise<Finished> {
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', script], { env: { HOME: folder, TMPDIR: folder, ...env } }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1);
      resolve({ code, said: stdout + stderr });
    });
  });
}

describe('with an aws that only notes what it is asked', () => {
  /** @param answer commands of a shell that answer; `$*` is what is asked */
  async function asked(s3: S3Storage, answer = ''): Promise<Finished & { readonly calls: readonly string[] }> {
    const bin = await mkdtemp(join(folder, 'bin-'));
    const log = join(bin, 'calls');
    const fake = `#!/bin/sh\nfor arg; do printf '%s|' "$arg"; done >> '${log}'\necho >> '${log}'\n${answer}\n`;
    await writeFile(join(bin, 'aws'), fake, { mode: 0o755 });
    await writeFile(log, '');
    const ended = await run(cleanScript(s3), { PATH: `${bin}:/usr/bin:/bin` });
    return { ...ended, calls: (await readFile(log, 'utf8')).trim().split('\n') };
  }

  const unversioned = 'case "$*" in *get-bucket-versioning*) echo None ;; esac';

  test('looks for the bucket, and removes what is below the path, through the endpoint [case 9]', async () => {
    const s3 = { path: '/lake/my//prod/', endpoint: 'http://minio:9000', region: 'eu-north-1' };
    const { code, calls, said } = await asked(
      s3,
      `${unversioned}; case "$*" in *" rm "*) echo "in $AWS_DEFAULT_REGION" ;; esac`,
    );
    expect(code).toBe(0);
    expect(calls[0]).toMatch(/^--endpoint-url\|http:\/\/minio:9000\|.*\|s3api\|head-bucket\|--bucket\|lake\|$/);
    expect(calls[1]).toMatch(/\|s3\|rm\|s3:\/\/lake\/my\/prod\/\|--recursive\|/);
    expect(calls.length).toBe(3);
    expect(said).toContain('in eu-north-1');
  });

  test('no text of the spec is taken for a command or an option', async () => {
    const odd = `it's "$(touch ${folder}/pwned)" ; exit 0 \`id\``;
    const { code, calls } = await asked({ path: `lake/${odd}`, endpoint: `http://h/${odd}`, region: odd }, unversioned);
    expect(code).toBe(0);
    expect(calls[0]).toContain(`--endpoint-url|http://h/${odd}|`);
    await expect(readFile(join(folder, 'pwned'))).rejects.toThrow('ENOENT');
  });

  test.each([
    ['403', 'An error occurred (403) when calling the HeadBucket operation: Forbidden'],
    ['no name', 'Could not connect to the endpoint URL: "http://minio:9000/lake"'],
    ['no trust', 'SSL validation failed for https://minio:9000/lake certificate verify failed'],
  ])('%s is a failure, and nothing is removed', async (_, message) => {
    const { code, said, calls } = await asked({ path: 'lake/prod' }, `echo '${message}' >&2; exit 254`);
    expect([code, calls.length]).toEqual([1, 1]);
    expect(said.trim().split('\n').at(-1)).toBe(`cleaning: the bucket cannot be reached: ${message}`);
  });

  test('what aws says of a header that it may not send has the key or the token in it, and is not told', async () => {
    const message = "Invalid header value b'AWS4-HMAC-SHA256 Credential=AKIA123\\n/20260101'";
    const { code, said } = await asked({ path: 'lake/prod' }, `cat << 'EOF' >&2\n${message}\nEOF\nexit 255`);
    expect([code, said.trim()]).toEqual([
      1,
      'cleaning: a key or token has a line break, or another character that may not be in one',
    ]);
  });

  test('a failure is told in one line, however many the answer has', async () => {
    const { said } = await asked({ path: 'lake/prod' }, `printf 'first\\nsecond\\n' >&2; exit 255`);
    expect(said.trim()).toBe('cleaning: the bucket cannot be reached: first second');
  });

  test('certificates of the spec are trusted besides those of the image; one that is not there is a failure', async () => {
    await writeFile(join(folder, 'my ca.pem'), 'MINE');
    const trusting = async (file: string) => {
      const script = cleanScript({ path: 'lake', certificateRef: { name: 'ca', files: [file] } });
      const bin = await mkdtemp(join(folder, 'bin-'));
      await writeFile(join(bin, 'aws'), '#!/bin/sh\ncat "$AWS_CA_BUNDLE" >&2; exit 254\n', { mode: 0o755 });
      return run(script.replaceAll('/etc/s3-ssl', folder), { PATH: `${bin}:/usr/bin:/bin` });
    };
    expect((await trusting('my ca.pem')).said).toContain('MINE');
    const { code, said } = await trusting('other.pem');
    expect([code, said]).toEqual([1, expect.stringContaining(`the certificate ${folder}/other.pem is not mounted`)]);
  });

  test('a 404 that the store does not confirm is a failure [case 52]', async () => {
    const proxy = 'echo "An error occurred (404) when calling the operation: Not Found" >&2; exit 254';
    expect((await asked({ path: 'lake/prod' }, proxy)).code).toBe(1);
    const store = `case "$*" in *head-bucket*) ${proxy} ;; *) echo '(NoSuchBucket)' >&2; exit 254 ;; esac`;
    expect(await asked({ path: 'lake/prod' }, store)).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!isAsked)('with the real aws on a real S3 server', () => {
  let s3: S3Server;
  beforeAll(async () => {
    s3 = await startS3Server();
  });
  afterAll(() => s3.stop());

  const clean = (path: string, env: Readonly<Record<string, string>> = {}, endpoint = s3.endpoint) =>
    run(cleanScript({ path, endpoint, region: s3.region }), {
      PATH: [dirname(aws ?? ''), '/usr/bin', '/bin'].join(delimiter),
      AWS_ACCESS_KEY_ID: s3.accessKey,
      AWS_SECRET_ACCESS_KEY: s3.secretKey,
      AWS_MAX_ATTEMPTS: '1',
      ...env,
    });

  test('removes all below the path, however much it is, and nothing beside it [case 53]', {
    timeout: 300_000,
  }, async () => {
    await s3.createBucket('lake');
    const beside = ['prod2/data/1', 'pro/data', 'other/prod/x'];
    const keys = [...Array.from({ length: 1_050 }, (_, i) => `prod/data/${i}`), 'prod/etl/a b&c', ...beside];
    await Promise.all(keys.map((key) => s3.put('lake', key, key)));
    expect(await clean('lake/prod')).toMatchObject({ code: 0 });
    expect(await s3.list('lake')).toEqual([...beside].sort());
    expect(await clean('lake/prod')).toMatchObject({ code: 0 });
  });

  test('removes old versions and marks of deletion too', { timeout: 300_000 }, async () => {
    await s3.createBucket('old', { versioned: true });
    for (const body of ['1', '2', '3']) await s3.put('old', 'prod/k', body);
    await s3.put('old', 'prod2/k', '1');
    expect(await clean('old/prod')).toMatchObject({ code: 0 });
    expect(await s3.listVersions('old')).toEqual(['prod2/k']);
  });

  test('fails with wrong credentials, and the data stays', { timeout: 300_000 }, async () => {
    await s3.createBucket('safe');
    await s3.put('safe', 'prod/k', '1');
    const { code, said } = await clean('safe/prod', { AWS_SECRET_ACCESS_KEY: 'guessed' });
    expect(code).toBe(1);
    expect(said).toContain('the bucket cannot be reached');
    expect(await s3.list('safe')).toEqual(['prod/k']);
  });

  test('is done where there is no such bucket, and fails where there is no server [case 52]', {
    timeout: 300_000,
  }, async () => {
    expect(await clean('sea/prod')).toMatchObject({ code: 0, said: expect.stringContaining('no such bucket') });
    expect(await clean('sea/prod', {}, 'http://127.0.0.1:9')).toMatchObject({ code: 1 });
  });
});
