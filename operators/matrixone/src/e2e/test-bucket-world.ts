import { access } from 'node:fs/promises';
import { Job, Secret } from '@coxswain/k8s';
import { controllerOf } from '@coxswain/runtime/controller';
import { awsCliPath, goProgramPath, type S3Server, startS3Server } from '@coxswain/testing';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { Backup, BackupJob, BucketClaim, type S3Storage } from '../api/index.ts';
import { ImageFolder } from './test-script-image.ts';
import { namespace, ProcessWorld, type Spec, small, type WorldOptions } from './test-world.ts';

export const bucket = 'lake';
const keys = 's3-keys';

/** A MatrixOne of processes whose data is in a real S3 server. */
export class BucketWorld implements AsyncDisposable {
  readonly world: ProcessWorld;
  readonly s3: S3Server;
  readonly #images: ImageFolder;
  /** UIDs of all Jobs there ever were, by the kind and name of their owner. */
  readonly jobs = new Map<string, Set<string>>();
  readonly #over = new AbortController();

  private constructor(world: ProcessWorld, s3: S3Server, images: ImageFolder) {
    this.world = world;
    this.s3 = s3;
    this.#images = images;
  }

  static async start(options: WorldOptions = {}): Promise<BucketWorld> {
    const images = await imageOfAws();
    const s3 = await startS3Server();
    try {
      const world = new BucketWorld(await ProcessWorld.start({ ...options, images: [images.path] }), s3, images);
      await world.#prepare();
      return world;
    } catch (error) {
      await s3.stop();
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    const { client } = this.world.cluster;
    await this.createKeys(namespace);
    await this.s3.createBucket(bucket);
    const stream = await client.of(Job).watch({ namespace, signal: this.#over.signal });
    const note = async () => {
      for await (const batch of stream)
        for (const event of batch) {
          if (event.type === 'ERROR') continue;
          const owner = controllerOf(event.object);
          const key = `${owner?.kind} ${owner?.name}`;
          this.jobs.set(key, (this.jobs.get(key) ?? new Set()).add(event.object.metadata.uid ?? ''));
        }
    };
    note().catch((error: unknown) => {
      if (!this.#over.signal.aborted) throw error;
    });
  }

  /** Makes the Secret that `storage` refers to. */
  async createKeys(namespace: string): Promise<void> {
    const stringData = { AWS_ACCESS_KEY_ID: this.s3.accessKey, AWS_SECRET_ACCESS_KEY: this.s3.secretKey };
    await this.world.cluster.client.of(Secret).create({ metadata: { namespace, name: keys }, stringData });
  }

  storage(folder: string, policy?: 'Delete' | 'Retain'): { readonly s3: S3Storage } {
    const { endpoint, region } = this.s3;
    const retention = policy ? { s3RetentionPolicy: policy } : {};
    return {
      s3: { type: 'minio', path: `${bucket}/${folder}`, endpoint, region, secretRef: { name: keys }, ...retention },
    };
  }

  /** As small as it gets: one process of each role. */
  async create(name: string, folder: string, policy: 'Delete' | 'Retain', more: Partial<Spec> = {}): Promise<void> {
    const sharedStorage = this.storage(folder, policy);
    const logService: Spec['logService'] = { ...small.logService, replicas: 1, sharedStorage };
    const cnGroups = [{ name: 'tp', replicas: 1 }];
    await this.world.create({ ...small, logService, cnGroups, ...more }, name);
  }

  /** Runs a statement through the proxy of a cluster, once that has a node for it. */
  async sql(cluster: string, text: string): Promise<readonly RowDataPacket[]> {
    const host = await this.world.proxyAddress(cluster);
    return this.world.until(text, async () => {
      const connection = await createConnection({ host, port: 6001, user: 'root', password: '111' });
      try {
        const [rows] = await connection.query<RowDataPacket[]>(text);
        return Array.isArray(rows) ? rows : [];
      } finally {
        connection.destroy();
      }
    });
  }

  async backUp(name: string, cluster: string, folder: string): Promise<void> {
    const spec = { source: { clusterRef: cluster }, target: this.storage(folder) };
    await this.world.cluster.client.of(BackupJob).create({ metadata: { namespace, name }, spec });
  }

  /** The Backup that came of a BackupJob. */
  async backupOf(name: string): Promise<Backup> {
    const { client } = this.world.cluster;
    const backup = await this.world.until('a Backup', async () => {
      const { status } = await client.of(BackupJob).get({ namespace, name });
      if (status?.phase === 'Completed') return status.backup;
      throw new Error(JSON.stringify(status));
    });
    return client.of(Backup).get({ name: backup });
  }

  async claims(): Promise<readonly BucketClaim[]> {
    return (await this.world.cluster.client.of(BucketClaim).list({ namespace })).items;
  }

  /** The claim to a folder. */
  async claim(folder: string): Promise<BucketClaim | undefined> {
    return (await this.claims()).find(({ spec }) => spec.s3.path === `${bucket}/${folder}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(new Error('nobody looks any more'));
    await this.world[Symbol.asyncDispose]();
    await this.s3.stop();
    await this.#images[Symbol.asyncDispose]();
  }
}

/** A folder with the image of the cleaning Job, whose `aws` is the one that was installed for tests: that is where no container looks. */
async function imageOfAws(): Promise<ImageFolder> {
  const script = `exec '${await awsCliPath()}' "$@"`;
  return ImageFolder.of({ name: 'amazon/aws-cli', path: '/usr/local/bin/aws', script });
}

/** Whether this machine has the S3 server and `aws`: `./cox test s3` fetches both. */
export async function hasS3(): Promise<boolean> {
  const hasServer = await access(goProgramPath('versitygw')).then(
    () => true,
    () => false,
  );
  return hasServer && (await awsCliPath()) !== undefined;
}
