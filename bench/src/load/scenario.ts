import { fanOut } from './fan-out.ts';
import { type Cost, measure, repeat } from './measure.ts';
import { configMap, deployment, namespace, pod, smallConfigMap, widget, widgetDefinition, written } from './objects.ts';
import { type Ask, LoadClient, type ServerUnderLoad } from './server.ts';

export interface LoadOptions {
  /** Of each measurement. */
  readonly seconds: number;
  /** How many ConfigMaps memory is measured with. */
  readonly objects: number;
  /** Which lines are measured, by their names. */
  readonly only: RegExp;
}

export interface LoadResult {
  readonly costs: Readonly<Record<string, Cost>>;
  /** MiB, before and after the objects. */
  readonly memory: { readonly empty: number; readonly full: number; readonly objects: number };
}

const core = `/api/v1/namespaces/${namespace}`;
const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const widgets = `/apis/bench.example.com/v1/namespaces/${namespace}/widgets`;
const listed = 'bench-list';

const post = (path: string, body: unknown): Ask => ({ method: 'POST', path, body: JSON.stringify(body) });

async function prepare(client: LoadClient): Promise<void> {
  for (const name of [namespace, listed])
    await client.send(post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  // Where controllers run it is there already.
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
  await client.send(post(`${core}/serviceaccounts`, account), [409]);
  await client.send(post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition));
  await repeat(client, 500, (turn) =>
    post(`/api/v1/namespaces/${listed}/configmaps`, configMap(`listed-${turn}`, listed)),
  );
  await repeat(client, 100, (turn) => post(`${core}/pods`, pod(`pod-${turn}`)));
  await repeat(client, 20, (turn) => post(apps, deployment(`deployment-${turn}`, 1)));
  const wanted = post(widgets, widget('first'));
  for (let left = 1000; (await client.send(wanted, [404, 409])).status === 404 && left > 0; left--)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

function statusPatch(turn: number): Ask {
  const condition = { type: 'Ready', status: turn % 2 ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' };
  return {
    method: 'PATCH',
    path: `${core}/pods/pod-${turn % 100}/status`,
    body: JSON.stringify({
      status: { phase: 'Running', podIP: `10.1.${turn % 200}.${turn % 251}`, conditions: [condition] },
    }),
    contentType: 'application/strategic-merge-patch+json',
  };
}

function apply(turn: number): Ask {
  const name = `deployment-${turn % 20}`;
  return {
    method: 'PATCH',
    path: `${apps}/${name}?fieldManager=bench-apply&force=true`,
    body: JSON.stringify(deployment(name, 1 + (turn % 7))),
    contentType: 'application/apply-patch+yaml',
  };
}

/** Creations of objects that differ in their names only: what the client does for one is to put the name in. */
function creation(path: string, object: (name: string) => object): (turn: number) => Ask {
  const text = written(object);
  return (turn) => ({ method: 'POST', path, body: text(`new-${turn}`) });
}

const requests: Readonly<Record<string, (turn: number) => Ask>> = {
  'create ConfigMap': creation(`${core}/configmaps`, configMap),
  'create Pod': creation(`${core}/pods`, pod),
  'create custom resource': creation(widgets, widget),
  'GET ConfigMap': (turn) => ({ method: 'GET', path: `/api/v1/namespaces/${listed}/configmaps/listed-${turn % 500}` }),
  'LIST 500': () => ({ method: 'GET', path: `/api/v1/namespaces/${listed}/configmaps?limit=500` }),
  'patch status of a Pod': statusPatch,
  'patch Deployment': (turn) => ({
    method: 'PATCH',
    path: `${apps}/deployment-${turn % 20}`,
    body: `{"spec":{"replicas":${1 + (turn % 9)}}}`,
    contentType: 'application/merge-patch+json',
  }),
  'apply Deployment': apply,
};

async function fill(client: LoadClient, objects: number): Promise<LoadResult['memory']> {
  const empty = await client.memory();
  const text = written(smallConfigMap);
  await repeat(client, objects, (turn) => ({ method: 'POST', path: `${core}/configmaps`, body: text(`kept-${turn}`) }));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return { empty, full: await client.memory(), objects };
}

/** Puts a server that was just started under all the loads, one after the other. */
export async function loadServer(server: ServerUnderLoad, options: LoadOptions): Promise<LoadResult> {
  const client = new LoadClient(server, 32);
  const { seconds, objects, only } = options;
  try {
    await prepare(client);
    const memory = await fill(client, objects);
    const costs: Record<string, Cost> = {};
    for (const [name, ask] of Object.entries(requests))
      if (only.test(name)) costs[name] = await measure(client, seconds, ask);
    for (const count of [100, 1000]) {
      const name = `event to ${count} watchers`;
      if (only.test(name)) costs[name] = await fanOut(client, namespace, count, seconds);
    }
    return { costs, memory };
  } finally {
    client.close();
  }
}
