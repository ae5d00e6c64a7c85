import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestRuntime, testRuntime } from './test-pod.ts';

let all: TestRuntime;

beforeAll(async () => {
  all = await testRuntime();
});
afterAll(() => all[Symbol.asyncDispose]());

const sh = (script: string) => ({ command: ['sh', '-c', script] });

test('a container runs its command with its variables, writes a log, and ends with its code', async () => {
  const { run } = await all.pod([sh('echo "$GREETING, $(hostname)"; echo oops >&2; echo again > /dev/stderr; exit 3')]);
  const { exit, log } = await run({ env: { GREETING: 'hello', 'odd.name': 'kept' } });
  expect(await exit).toMatchObject({ exitCode: 3 });
  expect((await log()).split('\n').sort()).toEqual(['', 'again', expect.stringMatching(/^hello, pod-\d+$/), 'oops']);
});

test('a container has its own processes, and a root of its own over the files of the machine', async () => {
  const { run } = await all.pod([sh('echo mine > /etc/coxswain-test; rm /etc/passwd; sleep 100')]);
  const { sh: exec, container, exit } = await run();
  const { out } = await exec(
    'ps -o pid= -e | head -1; ls /etc/passwd || cat /etc/coxswain-test; touch /dev/x || echo "no devices"',
  );
  expect(out).toBe('      1\nmine\nno devices\n');
  expect(await readdir('/etc')).not.toContain('coxswain-test');
  expect(await readFile('/etc/passwd', 'utf8')).toMatch(/^root:/);
  container.kill('SIGKILL');
  expect(await exit).toMatchObject({ exitCode: 137 });
});

test('exec hands on input, both outputs and the code; a terminal echoes and has a name', async () => {
  const { run } = await all.pod([sh('sleep 100')]);
  const { sh: exec } = await run();
  expect(await exec('tr a-z A-Z; echo no >&2; exit 7', { stdin: 'typed' })).toEqual({
    code: 7,
    out: 'TYPED',
    err: 'no\n',
  });
  const typed = await exec('tty; read line; echo "got $line"; exit 4', { stdin: 'word\n', tty: true });
  expect(typed).toMatchObject({ code: 4, err: '' });
  expect(typed.out.split('\r\n').sort()).toEqual(['', '/dev/pts/0', 'got word', 'word']);
});

test('a program that asks for it ends by a signal; the first process of a container ignores what it does not handle', async () => {
  const { run } = await all.pod([sh('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done')]);
  const { container, exit, logged, log } = await run();
  await logged('up');
  container.kill('SIGTERM');
  expect(await exit).toMatchObject({ exitCode: 0 });
  expect(await log()).toBe('up\nbye\n');
});

test('what cannot be started is refused with the reason', async () => {
  const { run } = await all.pod([
    { name: 'none', command: ['no-such-program'] },
    { name: 'odd', image: 'no-such-image' },
    { name: 'near', image: 'buzybox:1' },
  ]);
  await expect(run({ name: 'none' })).rejects.toMatchObject({
    reason: 'RunContainerError',
    message: expect.stringContaining('exec: "no-such-program": executable file not found in $PATH'),
  });
  await expect(run({ name: 'odd' })).rejects.toMatchObject({
    reason: 'ErrImagePull',
    message: expect.stringContaining('image.json'),
  });
  await expect(run({ name: 'near' })).rejects.toMatchObject({
    message: expect.stringContaining('names that are near: busybox'),
  });
});

test('volumes are mounted where the container says; files change all at once', async () => {
  const host = await mkdtemp(join(tmpdir(), 'coxswain-host-'));
  await writeFile(join(host, 'given'), 'by the host');
  const mounts = [
    { name: 'config', mountPath: '/etc/app' },
    { name: 'config', mountPath: '/opt/single.conf', subPath: 'a.conf' },
    { name: 'scratch', mountPath: '/var/run/scratch' },
    { name: 'scratch', mountPath: '/sub/inner', subPathExpr: 'of/$(NAME)' },
    { name: 'memory', mountPath: '/cache' },
    { name: 'host', mountPath: '/host', readOnly: true },
  ];
  const { run, sandbox } = await all.pod([{ ...sh('sleep 100'), volumeMounts: mounts }]);
  const file = (text: string) => ({ bytes: Buffer.from(text), mode: 0o644 });
  await sandbox.setVolume('config', {
    kind: 'files',
    files: new Map([
      ['a.conf', file('one')],
      ['deep/b', file('b')],
    ]),
  });
  await sandbox.setVolume('scratch', { kind: 'empty', memory: false });
  await sandbox.setVolume('memory', { kind: 'empty', memory: true, sizeLimit: 64 * 1024 });
  await sandbox.setVolume('host', { kind: 'host', path: host, type: 'Directory' });
  const { sh: exec } = await run({ env: { NAME: 'me' } });
  expect((await exec('cat /etc/app/a.conf /etc/app/deep/b /opt/single.conf /host/given')).out).toBe(
    'onebonebby the host'.replace('bb', 'b'),
  );
  expect(
    (
      await exec(
        'touch /host/x || echo ro; touch /etc/app/x || echo ro; echo in > /sub/inner/f; cat /var/run/scratch/of/me/f',
      )
    ).out,
  ).toBe('ro\nro\nin\n');
  expect((await exec('dd if=/dev/zero of=/cache/full bs=1k count=100')).err).toContain('No space left on device');
  await sandbox.setVolume('config', { kind: 'files', files: new Map([['a.conf', file('two')]]) });
  expect((await exec('cat /etc/app/a.conf; ls /etc/app')).out).toBe('twoa.conf\n');
  await expect(
    sandbox.setVolume('host2', { kind: 'host', path: join(host, 'none'), type: 'Directory' }),
  ).rejects.toMatchObject({ reason: 'FailedMount' });
  await sandbox.remove();
  await rm(host, { recursive: true });
});

test('nothing of a pod is left when it is removed', async () => {
  const { run, sandbox, pod } = await all.pod([sh('sleep 100 & sleep 100')]);
  const { exit } = await run();
  await sandbox.remove();
  expect(await exit).toMatchObject({ exitCode: 137 });
  expect(await readdir(join(all.dataDir, 'pods'))).not.toContain(pod.metadata.uid);
  expect((await readdir(join(all.dataDir, 'logs'))).filter((name) => name.includes(pod.metadata.uid ?? ''))).toEqual(
    [],
  );
});
