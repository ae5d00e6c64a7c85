import { readdir, readFile, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap, type Kind, type KubeObject, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { childrenOf } from '../node/process/container/process-tree.ts';
import { namespace, type ServerWorld } from './test-world.ts';

/** How much of the machine this process and its children hold. */
export interface Belongings {
  readonly descriptors: number;
  readonly listening: number;
  readonly processes: number;
  readonly mounts: number;
  readonly loops: number;
  readonly pods: number;
  readonly volumes: number;
}

const entries = (path: string): Promise<string[]> => readdir(path).catch(() => []);
const text = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** Its children and theirs. */
const descendants = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);

/** Sockets of this process that listen. */
async function listening(descriptors: readonly string[]): Promise<number> {
  const links = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  const own = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const lines = (await Promise.all(['tcp', 'tcp6'].map((name) => text(`/proc/self/net/${name}`))))
    .join('\n')
    .split('\n');
  const columns = lines.map((line) => line.trim().split(/\s+/));
  return columns.filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode)).length;
}

/** Folders for nodes that keep nothing have the process that made them in their names. */
const scratch = `coxswain-nodes-${process.pid}-`;

/** What this process's nodes have in a folder of theirs. */
async function folders(name: string): Promise<string[]> {
  const own = (await entries(tmpdir())).filter((folder) => folder.startsWith(scratch));
  const found = await Promise.all(own.map((folder) => entries(join(tmpdir(), folder, name))));
  return found.flat();
}

/** Files that are devices for this process's nodes. */
async function loops(): Promise<string[]> {
  const all = await entries('/sys/block');
  const backed = await Promise.all(all.map((loop) => text(`/sys/block/${loop}/loop/backing_file`)));
  return backed.map((file) => file.trim()).filter((file) => file.includes(scratch));
}

/** What is there of pods and claims, by its names. */
export async function leftOvers(): Promise<Readonly<Record<'loops' | 'pods' | 'volumes', readonly string[]>>> {
  return { loops: await loops(), pods: await folders('pods'), volumes: await folders('volumes') };
}

/** Counts them now. */
export async function belongings(): Promise<Belongings> {
  const descriptors = await entries('/proc/self/fd');
  const children = descendants(process.pid);
  const places = ['self', ...children];
  const mounts = await Promise.all(places.map((pid) => text(`/proc/${pid}/mountinfo`)));
  const left = await leftOvers();
  return {
    descriptors: descriptors.length,
    listening: await listening(descriptors),
    processes: children.length,
    mounts: mounts.join('').split('\n').length,
    loops: left.loops.length,
    pods: left.pods.length,
    volumes: left.volumes.length,
  };
}

const probed = { exec: { command: ['test', '-e', '/data/ready'] }, periodSeconds: 1 };

/** A pod with a claim and a ConfigMap, until it is Ready; then all of it is deleted, and gone. */
async function round(world: ServerWorld, name: string): Promise<void> {
  await world.create(ConfigMap, { metadata: { name }, data: { word: name } });
  await world.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '4Mi' } } },
  });
  // ready only with what the ConfigMap has to say
  const script = `grep -qx ${name} /config/word && touch /data/ready; sleep 1000 & wait`;
  await world.create(Pod, {
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sh', '-c', script],
          readinessProbe: probed,
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'config', mountPath: '/config' },
          ],
        },
      ],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: name } },
        { name: 'config', configMap: { name } },
      ],
    },
  });
  await world.until(`${name} to be Ready`, async () =>
    (await world.get(Pod, name)).status?.containerStatuses?.[0]?.ready ? true : undefined,
  );
  await gone(world, Pod, name);
  await gone(world, PersistentVolumeClaim, name);
  await gone(world, ConfigMap, name);
}

async function gone<T extends KubeObject>(world: ServerWorld, kind: Kind<T>, name: string): Promise<void> {
  const objects = world.cluster.client.of(kind);
  await objects.delete({ namespace, name });
  await world.until(`${kind.kind} ${name} to be gone`, async () =>
    (await objects.find({ namespace, name })) ? undefined : true,
  );
}

/** Pods that are created, get Ready and are deleted with all they have, some at a time. */
export async function comeAndGo(
  world: ServerWorld,
  { rounds, atATime }: { readonly rounds: number; readonly atATime: number },
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < rounds) await round(world, `round-${next++}`);
  };
  await Promise.all(Array.from({ length: atATime }, lane));
}
