import { readdir, readFile } from 'node:fs/promises';
import { type Container, EndpointSlice, PersistentVolumeClaim, Pod, type PodSpec, Service } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { ServerWorld } from './test-world.ts';

/** Processes that have a word among their parameters. */
async function processesWith(word: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (words.split('\0').includes(word)) found.push(Number(pid));
  }
  return found;
}

/** What a shell forks has its parameters for a moment, and ends with it. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const claim = (world: ServerWorld, name: string, storage: string) =>
  world.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  });

/** A container that runs a script. */
const scripted = (script: string, more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'busybox',
  command: ['sh', '-c', script],
  ...more,
});

/** A pod with a claim at /data. */
const withClaim = (name: string, container: Container): PodSpec => ({
  containers: [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
});

const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Until the pod is Ready in a run of its container. */
const ready = (world: ServerWorld, name: string, runs: number) =>
  world.until(`${name} to be Ready in run ${runs}`, async () => {
    const pod = await world.get(Pod, name);
    const [status] = pod.status?.containerStatuses ?? [];
    return isReady(pod) && status?.restartCount === runs ? status : undefined;
  });

test('a program that is killed from outside ends with 137, and runs again', async () => {
  await using world = await ServerWorld.start();
  const word = `fault-kill-${process.pid}`;
  const container: Container = {
    name: 'main',
    image: 'busybox',
    command: ['sh', '-c', 'while :; do sleep 0.2; done', word],
    readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
  };
  await world.create(Pod, { metadata: { name: 'killed' }, spec: { containers: [container] } });
  await ready(world, 'killed', 0);
  const before = await processesWith(word);
  expect(before.length).toBeGreaterThan(0);
  for (const pid of before) kill(pid);
  const { lastState } = await ready(world, 'killed', 1);
  expect(lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
  expect((await processesWith(word)).filter((pid) => before.includes(pid))).toEqual([]);
});

test('a volume that is full says so, and takes data again when there is room', async () => {
  await using world = await ServerWorld.start();
  await claim(world, 'full', '8Mi');
  const script = [
    'said=$(LC_ALL=C dd if=/dev/zero of=/data/big bs=64k count=512 2>&1) && exit 3',
    'case "$said" in *"No space left on device"*) ;; *) echo "$said"; exit 4;; esac',
    'rm /data/big || exit 5',
    'dd if=/dev/zero of=/data/small bs=64k count=32 || exit 6',
    'test "$(wc -c < /data/small)" -eq 2097152 || exit 7',
  ].join('\n');
  await world.create(Pod, {
    metadata: { name: 'full' },
    spec: { ...withClaim('full', scripted(script)), restartPolicy: 'Never' },
  });
  const { status } = await world.until('the end of the pod', async () => {
    const pod = await world.get(Pod, 'full');
    return pod.status?.containerStatuses?.[0]?.state?.terminated ? pod : undefined;
  });
  expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0 });
  const { status: last } = await world.until('the last phase', async () => {
    const pod = await world.get(Pod, 'full');
    return pod.status?.phase === 'Running' ? undefined : pod;
  });
  expect(last?.phase).toBe('Succeeded');
});

test('a node that goes down takes its processes with it; back again it runs the pod with the data it had', async () => {
  await using world = await ServerWorld.start();
  await claim(world, 'down', '8Mi');
  const word = `fault-down-${process.pid}`;
  const script =
    'echo run >> /data/runs; test $(wc -l < /data/runs) -eq 1 || touch /data/again; while :; do sleep 0.2; done';
  const container = scripted(script, {
    command: ['sh', '-c', script, word],
    readinessProbe: { exec: { command: ['test', '-e', '/data/runs'] }, periodSeconds: 1 },
  });
  await world.create(Pod, { metadata: { name: 'down' }, spec: withClaim('down', container) });
  await ready(world, 'down', 0);
  expect((await processesWith(word)).length).toBeGreaterThan(0);
  await world.cluster.nodes.stop('process-1');
  await world.until('the end of its processes', async () =>
    (await processesWith(word)).length === 0 ? true : undefined,
  );
  await world.cluster.nodes.start('process-1');
  await ready(world, 'down', 1);
  const check: Container = scripted('test -e /data/again && test $(wc -l < /data/runs) -eq 2');
  await world.create(Pod, {
    metadata: { name: 'reader' },
    spec: { ...withClaim('down', check), restartPolicy: 'Never' },
  });
  const ended = await world.until('the answer of the reader', async () => {
    return (await world.get(Pod, 'reader')).status?.containerStatuses?.[0]?.state?.terminated;
  });
  expect(ended).toMatchObject({ exitCode: 0 });
});

test('a pod whose readiness comes and goes leaves its Service and comes back, without a restart', async () => {
  await using world = await ServerWorld.start();
  await world.create(Service, {
    metadata: { name: 'flaps' },
    spec: { selector: { app: 'flaps' }, ports: [{ port: 8080 }] },
  });
  // other pods with the same claim turn its readiness off and on
  await claim(world, 'flaps', '8Mi');
  const container = scripted('touch /data/ready; while :; do sleep 0.2; done', {
    readinessProbe: { exec: { command: ['test', '-e', '/data/ready'] }, periodSeconds: 1, failureThreshold: 1 },
  });
  await world.create(Pod, {
    metadata: { name: 'flaps', labels: { app: 'flaps' } },
    spec: withClaim('flaps', container),
  });
  const expectReady = async (wanted: boolean) => {
    await world.until(`Ready to be ${wanted}`, async () =>
      isReady(await world.get(Pod, 'flaps')) === wanted ? true : undefined,
    );
    await world.until(`an endpoint that is ready: ${wanted}`, async () => {
      for await (const { metadata, endpoints } of world.cluster.client.of(EndpointSlice).listAll())
        if (metadata.labels?.['kubernetes.io/service-name'] === 'flaps')
          if (endpoints?.some(({ conditions }) => conditions?.ready === wanted)) return true;
      return undefined;
    });
  };
  const tell = (name: string, script: string) =>
    world.create(Pod, {
      metadata: { name },
      spec: { ...withClaim('flaps', scripted(script)), restartPolicy: 'Never' },
    });
  await expectReady(true);
  await tell('off', 'rm /data/ready');
  await expectReady(false);
  await tell('on', 'touch /data/ready');
  await expectReady(true);
  const { status } = await world.get(Pod, 'flaps');
  expect(status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0, ready: true });
});
