import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAll, type TestRuntime, testRuntime } from '../test-pod.ts';

let all: TestRuntime;

beforeAll(async () => {
  all = await testRuntime();
});
afterAll(() => all[Symbol.asyncDispose]());

const root = process.getuid?.() === 0;
const groups = root && existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');

test.runIf(groups)('a container that uses more memory than its limit is ended, and says so', async () => {
  const { run } = await all.pod([{ command: ['tail', '/dev/zero'], resources: { limits: { memory: '32Mi' } } }]);
  const { exit } = await run();
  expect(await exit).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
});

test.runIf(root)('a container runs as whom it and its pod say, and may do no more than it says', async () => {
  const securityContext = {
    runAsUser: 1000,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  };
  const pod = { securityContext: { runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000] } };
  const { run } = await all.pod([{ command: ['sleep', '1000'], workingDir: '/new/place', securityContext }], pod);
  const { sh } = await run();
  const { out } = await sh(
    'id -u; id -g; id -G; pwd; touch /tmp/x 2>/dev/null || echo ro; grep -E "NoNewPrivs|CapBnd" /proc/self/status',
  );
  expect(out).toBe('1000\n3000\n3000 2000 4000\n/new/place\nro\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n');
});

test('who must not run as root does not', async () => {
  const { run } = await all.pod([{ command: ['true'] }], { securityContext: { runAsNonRoot: true } });
  await expect(run()).rejects.toMatchObject({
    reason: 'CreateContainerConfigError',
    message: expect.stringMatching(/^container has runAsNonRoot and image will run as root \(pod: "pod-\d+_default\(/),
  });
});

test('a program may leave a message; one that fails without leaves the end of its log, when that is wanted', async () => {
  const { run } = await all.pod([
    { name: 'file', command: ['sh', '-c', 'echo -n why > /dev/termination-log; exit 1'] },
    { name: 'place', command: ['sh', '-c', 'echo -n there > /run/said'], terminationMessagePath: '/run/said' },
    { name: 'log', command: ['sh', '-c', 'seq 200; exit 1'], terminationMessagePolicy: 'FallbackToLogsOnError' },
  ]);
  expect((await (await run({ name: 'file' })).exit).message).toBe('why');
  expect((await (await run({ name: 'place' })).exit).message).toBe('there');
  expect((await (await run({ name: 'log' })).exit).message).toMatch(/^121\n[\d\n]+\n200\n$/);
});

test('who joins a program sees what it writes and types into it; once is once', async () => {
  const { run } = await all.pod([{ command: ['cat'], stdin: true, stdinOnce: true }]);
  const { container, exit, log } = await run();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const attached = container.attach(false, { stdin, stdout, signal: AbortSignal.timeout(10_000) });
  stdin.end('typed\n');
  expect(await exit).toMatchObject({ exitCode: 0 });
  await attached;
  stdout.end();
  expect(await readAll(stdout)).toBe('typed\n');
  expect(await log()).toBe('typed\n');
});

test('a client that leaves ends its command', async () => {
  const { run } = await all.pod([{ command: ['sleep', '1000'] }]);
  const { container, sh } = await run();
  for (const tty of [false, true]) {
    const client = new AbortController();
    const stdout = new PassThrough();
    const done = container.exec(['sh', '-c', 'echo up; sleep 4321'], tty, { stdout, signal: client.signal });
    for await (const part of stdout) if (String(part).includes('up')) break;
    client.abort();
    await done;
  }
  // On a terminal it ends when the kernel tells it that the terminal is gone, a moment later.
  expect((await sh('while pgrep -f "sleep 432[1]"; do sleep 0.05; done')).code).toBe(0);
});
