// A cluster in virtual time with operators that can be cut off, and a backup program that answers when its Job runs. Not exported.
import '@coxswain/schema/cel';
import { readFileSync } from 'node:fs';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { Job, type Kind, type KubeObject, Secret } from '@coxswain/k8s';
import { grant, installCrds } from '@coxswain/runtime/apply';
import { type Client, createClient, merge, type Transport, type WatchEvent } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { type Clock, type ObjectKey, seededRandom, silentLogger, sleep, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { type Cut, type CutTransport, cutTransport } from '@coxswain/testing';
import { parseAllDocuments } from 'yaml';
import { ANNOTATION_SKIP_SYNC, Backup, BackupJob, LogSet, MatrixOneCluster, RestoreJob } from '../api/index.ts';
import { matrixoneOperator } from '../operator.ts';
import { unreliable } from '../scenario/test-unreliable.ts';
import type { JobReport, JobReports } from './report.ts';

const namespace = 'default';
const operatorUser = 'matrixone-operator';
const example = new URL('../../../../examples/matrixone/cluster.yaml', import.meta.url);
export const s3 = { type: 'minio', path: 'lake/backup', endpoint: 'http://minio:9000', secretRef: { name: 'keys' } };
export const raw = '0192-aaaa-bbbb,12 MB,lake/backup,2026-01-02 03:04:05,1s,2026-01-02 03:04:09';

export const done = (record = raw): JobReport => ({
  completed: true,
  exitCode: 0,
  stdout: `backing up\nMETA_DELIMITER\n${record}\n`,
  stderr: '',
});
export const failure: JobReport = { completed: true, exitCode: 3, stdout: '', stderr: 'no bucket, password=hunter2' };
export const running: JobReport = { completed: false, exitCode: 0, stdout: '', stderr: '' };

export interface BackupWorldOptions {
  /** Where the first operator is cut off; another one follows. */
  readonly cut?: Cut;
  /** How many operators act at once, none of which leads; default 1. */
  readonly operators?: number;
  /** Seed of a network that loses requests and answers. */
  readonly faults?: number;
  /** Milliseconds after which the operators that follow the first one hear of changes of RestoreJobs; default at once. */
  readonly late?: number;
  /** Whether backups are off. */
  readonly off?: boolean;
}

/** A way to the server on which changes of RestoreJobs are heard of late. */
function late(inner: Transport, clock: Clock, milliseconds: number): Transport {
  const held = async function* (stream: AsyncIterable<readonly WatchEvent[]>) {
    for await (const batch of stream) {
      await sleep(clock, milliseconds);
      yield batch;
    }
  };
  const isHeld = (path: string) => path.endsWith(`/${RestoreJob.plural}`);
  return {
    ...inner,
    watch: async (request) => (isHeld(request.path) ? held(await inner.watch(request)) : inner.watch(request)),
  };
}

export class BackupWorld implements AsyncDisposable {
  readonly clock = new VirtualClock();
  /** What the programs answer; `undefined`: nothing. */
  report: JobReport | undefined = done();
  /** UIDs of the Jobs that were let run, by kind, name and UID of their owner. */
  readonly started = new Map<string, Set<string>>();
  /** RestoreJobs that were let go. */
  readonly released = new Set<string>();
  /** What was missing when a log service was made. */
  readonly tooEarly: string[] = [];
  /** Writes of the operator when there was a log service. */
  writesToLogSet: number | undefined;
  readonly #options: BackupWorldOptions;
  readonly #managers: Manager[] = [];
  #process: CutTransport | undefined;
  #cluster: Cluster | undefined;

  private constructor(options: BackupWorldOptions) {
    this.#options = options;
  }

  static async start(options: BackupWorldOptions = {}): Promise<BackupWorld> {
    const world = new BackupWorld(options);
    world.#cluster = await world.drive(
      startCluster({ clock: world.clock, random: seededRandom(1), log: silentLogger }),
    );
    await world.drive(installCrds(world.client, matrixoneOperator.crds(), { clock: world.clock }));
    // What the operator is not allowed to do it cannot do here either.
    const rules = matrixoneOperator.rules();
    await world.drive(grant(world.client, { name: operatorUser, rules, user: operatorUser }));
    await world.#observe();
    for (let i = 0; i < (options.operators ?? 1); i++) await world.launch(i === 0 ? options.cut : undefined);
    return world;
  }

  get #embedded(): Cluster {
    if (!this.#cluster) throw new Error('the world has not started');
    return this.#cluster;
  }

  get client(): Client {
    return this.#embedded.client;
  }

  /** Writes of the operator that was launched last. */
  get writes(): number {
    return this.#process?.writes ?? 0;
  }

  async #observe(): Promise<void> {
    await this.#watch(Job, (job) => {
      const owner = controllerOf(job);
      if (!owner || job.spec?.suspend) return;
      const key = `${owner.kind} ${owner.name} ${owner.uid}`;
      this.started.set(key, (this.started.get(key) ?? new Set()).add(job.metadata.uid ?? ''));
    });
    await this.#watch(RestoreJob, ({ metadata }) => {
      if (!metadata.annotations?.['matrixorigin.io/held']) this.released.add(metadata.uid ?? '');
    });
    await this.#watch(LogSet, async ({ metadata }) => {
      this.writesToLogSet ??= this.writes;
      const cluster = await this.cluster();
      const isMarked = cluster?.metadata.annotations?.['matrixorigin.io/restore-complete'] !== undefined;
      if (cluster?.spec.restoreFrom && !isMarked) this.tooEarly.push(metadata.name);
    });
  }

  async #watch<T extends KubeObject>(kind: Kind<T>, note: (object: T) => unknown): Promise<void> {
    const stream = await this.drive(this.client.of(kind).watch({ namespace }));
    void (async () => {
      for await (const batch of stream) {
        for (const event of batch) if (event.type !== 'ERROR') await note(event.object);
      }
    })();
  }

  /** Starts an operator with an empty memory. @param through its way to the server, when that is a special one */
  async launch(cut?: Cut, through: (inner: Transport) => Transport = (inner) => inner): Promise<void> {
    const { clock } = this;
    const { faults, off } = this.#options;
    this.#process = cutTransport(this.#embedded.clientAs({ name: operatorUser }).transport, cut);
    const delay = this.#managers.length > 0 ? this.#options.late : undefined;
    const { transport: direct } = this.#process;
    const transport = delay === undefined ? direct : late(direct, clock, delay);
    const sent = through(faults === undefined ? transport : unreliable(transport, seededRandom(faults)));
    const client = createClient({
      transport: sent,
      clock,
      random: seededRandom(3),
      fieldManager: 'matrixone-operator',
    });
    const manager = createManager({
      client,
      name: 'matrixone-operator',
      clock,
      random: seededRandom(2),
      log: silentLogger,
    });
    matrixoneOperator.setup(manager, { backup: off ? false : { reports: this.#reports } });
    this.#managers.push(manager);
    await this.drive(manager.start());
  }

  readonly #reports: JobReports = {
    read: async (key: ObjectKey) => {
      const job = await this.client.of(Job).find(key);
      if (!job || job.spec?.suspend || !this.report) throw new Error(`no answer from ${key.name}`);
      return this.report;
    },
  };

  async stopOperators(): Promise<void> {
    for (const manager of this.#managers.splice(0)) await this.drive(manager.stop());
  }

  /** Follows an operator that was cut off by the next one. */
  async #follow(): Promise<void> {
    if (!this.#process?.isCut) return;
    const manager = this.#managers.pop();
    if (manager) await this.drive(manager.stop());
    await this.clock.advance(5_000);
    await this.launch();
  }

  /** A cluster that serves, as a backup sees it. */
  async servingCluster(): Promise<void> {
    await this.createCluster({}, { annotations: { [ANNOTATION_SKIP_SYNC]: 'y' } });
    const status = { host: 'mo-proxy.default', port: 6001, credentialRef: { name: 'mo-credential' } };
    await this.drive(this.client.of(MatrixOneCluster).patchStatus({ namespace, name: 'mo' }, merge({ status })));
  }

  /** Without them no pod of a backup runs. */
  async createSecrets(): Promise<void> {
    const values = { username: 'root', password: '111', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    for (const name of ['mo-credential', 'keys'])
      await this.drive(this.client.of(Secret).create({ metadata: { name, namespace }, stringData: values }));
  }

  /** The example's cluster, changed. */
  async createCluster(spec: object, metadata: object = {}): Promise<void> {
    const documents = parseAllDocuments(readFileSync(example, 'utf8')).map((document) => document.toJS() as KubeObject);
    const cluster = documents.find(({ kind }) => kind === 'MatrixOneCluster') as MatrixOneCluster;
    const keys = documents.find(({ kind }) => kind === 'Secret') as Secret;
    await this.drive(this.client.of(Secret).create({ ...keys, metadata: { ...keys.metadata, namespace } }));
    const placed = { ...cluster.metadata, namespace, ...metadata };
    await this.drive(
      this.client.of(MatrixOneCluster).create({ ...cluster, metadata: placed, spec: { ...cluster.spec, ...spec } }),
    );
  }

  async createBackup(name = 'b'): Promise<void> {
    const time = '2026-01-02T03:04:05Z';
    const meta = { location: { s3 }, id: '0192-aaaa', raw: '0192-aaaa,raw', sourceRef: 'x' };
    await this.drive(
      this.client.of(Backup).create({ metadata: { name }, meta: { ...meta, atTime: time, completeTime: time } }),
    );
  }

  async createJob(name: string, spec: Partial<BackupJob['spec']> = {}): Promise<void> {
    const all = { source: { clusterRef: 'mo' }, target: { s3 }, ...spec };
    await this.drive(this.client.of(BackupJob).create({ metadata: { name, namespace }, spec: all }));
  }

  cluster = () => this.client.of(MatrixOneCluster).find({ namespace, name: 'mo' });
  job = (name: string) => this.client.of(BackupJob).find({ namespace, name });
  restoreJob = () => this.client.of(RestoreJob).find({ namespace, name: 'restore-mo' });
  backups = async (): Promise<readonly Backup[]> => (await this.drive(this.client.of(Backup).list())).items;

  /** Lets time go on until an object says what is waited for; answers the object. */
  async until<T extends KubeObject>(
    get: () => Promise<T | undefined>,
    holds: (object: T) => boolean,
    limit = 600,
  ): Promise<T> {
    const start = this.clock.now();
    for (;;) {
      await this.#follow();
      const object = await this.drive(get());
      if (object && holds(object)) return object;
      const waited = this.clock.now() - start;
      if (waited > limit * 1000) throw new Error(`not within ${limit}s: ${JSON.stringify(object ?? 'nothing')}`);
      await this.clock.advance(waited < 60_000 ? 500 : 20_000);
    }
  }

  async gone(get: () => Promise<KubeObject | undefined>, limit = 600): Promise<void> {
    const nothing = { metadata: { name: '' } };
    await this.until(
      async () => (await get()) ?? nothing,
      (object) => object === nothing,
      limit,
    );
  }

  /** The Job, once it has been let run. */
  letRun(key: ObjectKey): Promise<Job> {
    return this.until(
      () => this.client.of(Job).find(key),
      ({ spec }) => spec?.suspend === false,
    );
  }

  async ended(name: string): Promise<BackupJob> {
    const over = ({ status }: BackupJob) => status?.phase === 'Completed' || status?.phase === 'Failed';
    return this.until(() => this.job(name), over);
  }

  drive<T>(promise: Promise<T>): Promise<T> {
    return this.clock.drive(promise);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperators();
    if (this.#cluster) await this.drive(this.#cluster.stop());
  }
}

/** How often the programs of each owner were let run. */
export function runs({ started }: BackupWorld): readonly number[] {
  return [...started.values()].map(({ size }) => size);
}

export function ended({ status }: BackupJob | RestoreJob): readonly unknown[] {
  const condition = status?.conditions?.find(({ type }) => type === 'Ended');
  return [status?.phase, condition?.status, condition?.reason, condition?.message];
}
