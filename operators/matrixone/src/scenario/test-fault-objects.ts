import { readFileSync } from 'node:fs';
import type { KubeObject, Secret } from '@coxswain/k8s';
import { parseAllDocuments } from 'yaml';
import type { LogSet, MatrixOneCluster } from '../api/index.ts';

export const oldImage = 'matrixorigin/matrixone:2.1.0';
export const image = 'matrixorigin/matrixone:2.1.1';
export const upgrade = { spec: { image } };
export const scale = (replicas: number) => ({ spec: { replicas } });
export const deps = { externalLogSet: { haKeeperEndpoint: 'hakeeper.far.example:32001' } };
const store = (name: string) => `
[[fileservice]]
name = "${name}"
backend = "MINIO"
[fileservice.s3]
bucket = "lake"
endpoint = "http://minio.far:9000"
key-prefix = "prod/${name}"
`;
export const config = `${store('S3')}${store('ETL')}`;
export const s3 = { type: 'minio', path: 'lake/prod', endpoint: 'http://minio:9000' } as const;

export const draining = { storeDrainEnabled: true, storeDrainTimeout: '2m', minDelaySeconds: 1 };

export function logSet(name: string, spec: Partial<LogSet['spec']> = {}): LogSet {
  const all = { replicas: 1, image: oldImage, volume: { size: '1Gi' }, sharedStorage: { s3 }, ...spec };
  return { metadata: { name }, spec: all };
}

const example = parseAllDocuments(
  readFileSync(new URL('../../../../examples/matrixone/cluster.yaml', import.meta.url), 'utf8'),
).map((document) => document.toJS() as KubeObject);
export const exampleSecret = example.find(({ kind }) => kind === 'Secret') as Secret;
const exampleCluster = example.find(({ kind }) => kind === 'MatrixOneCluster') as MatrixOneCluster;
export const group = { name: 'tp', serviceType: 'ClusterIP', cacheVolume: { size: '1Gi' } } as const;

/** The example, small. */
export function cluster(spec: Partial<MatrixOneCluster['spec']>): MatrixOneCluster {
  const logService = { ...exampleCluster.spec.logService, replicas: 1 };
  return {
    ...exampleCluster,
    spec: { ...exampleCluster.spec, logService, cnGroups: [{ ...group, replicas: 1 }], ...spec },
  };
}
