import { ConfigMap, Pod } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { CNSet } from '../api/index.ts';
import { World } from './test-world.ts';

const config = `
[[fileservice]]
name = "S3"
backend = "MINIO"
[fileservice.s3]
bucket = "lake"
endpoint = "http://minio.other:9000"
key-prefix = "prod/data"

[[fileservice]]
name = "ETL"
backend = "MINIO"
[fileservice.s3]
bucket = "lake"
endpoint = "http://minio.other:9000"
key-prefix = "prod/etl"
`;

test.each([
  ['2.1.0', 'discovery-address = "hakeeper.other.example:32001"'],
  ['1.2.3', 'service-addresses = ["hakeeper.other.example:32001"]'],
])('nodes of version %s join a cluster that is only known by its address', async (version, hakeeper) => {
  await using world = await World.start();
  const key = { namespace: 'default', name: 'far' };
  const set: CNSet = {
    metadata: { ...key },
    spec: { image: `matrixorigin/matrixone:${version}`, replicas: 2, serviceType: 'ClusterIP', config },
    deps: { externalLogSet: { haKeeperEndpoint: 'hakeeper.other.example:32001' } },
  };
  await world.drive(world.client.of(CNSet).create(set));
  await world.until('the nodes are ready', async () => {
    const { status } = await world.client.of(CNSet).get(key);
    return ['Ready', 'Synced'].every((wanted) =>
      status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True'),
    );
  });
  const pods = await world.drive(world.client.of(Pod).list({ namespace: 'default' }));
  expect(pods.items).toHaveLength(2);
  const maps = await world.drive(world.client.of(ConfigMap).list({ namespace: 'default' }));
  const text = maps.items.flatMap(({ data }) => Object.values(data ?? {})).join('\n');
  expect(text).toContain(hakeeper);
  expect(text).toContain('key-prefix = "prod/data"');
  await world.drive(world.client.of(CNSet).delete(key));
  await world.until('it is gone', async () => (await world.client.of(CNSet).find(key)) === undefined);
});
