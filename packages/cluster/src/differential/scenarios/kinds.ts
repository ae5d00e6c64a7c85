import { del, get, mergePatch, object, post, put } from '../build.ts';
import type { Area, Scenario } from '../types.ts';
import { appsKinds, batchKinds, coreKinds, type KindCase, policyKinds } from './bodies.ts';

function collectionOf({ apiVersion, plural, namespaced }: KindCase): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${root}/namespaces/{ns}/${plural}` : `${root}/${plural}`;
}

/** Every verb once, on an object with little and on one with much in it. */
function crud(kind: KindCase): Scenario {
  const all = collectionOf(kind);
  const label = { metadata: { labels: { 'd.example/set': kind.plural } } };
  const named = (name: string, body: Readonly<Record<string, unknown>>) =>
    object(kind.apiVersion, kind.kind, name, body);
  const change = kind.change ?? { metadata: { annotations: { changed: 'yes' } } };
  const small = kind.kind === 'CSIDriver' ? 'small.example' : 'small';
  return {
    title: `${kind.kind} (${kind.apiVersion})`,
    steps: [
      post(all, named(small, kind.minimal), { save: { small: '' } }),
      get(`${all}/${small}`),
      post(`${all}?dryRun=All`, named('tried', kind.rich)),
      post(all, named('large', kind.rich), { save: { large: '' } }),
      mergePatch(`${all}/large`, label, { save: { large: '' } }),
      mergePatch(`${all}/large`, label),
      mergePatch(`${all}/${small}`, change),
      put(`${all}/${small}`, {}, { base: 'small' }),
      put(`${all}/large`, change, { base: 'large' }),
      get(`${all}?labelSelector=d.example/set%3D${kind.plural}`),
      del(`${all}/${small}`),
      get(`${all}/${small}`),
      del(`${all}?labelSelector=d.example/set%3D${kind.plural}`),
      get(`${all}?labelSelector=d.example/set%3D${kind.plural}`),
    ],
  };
}

const area = (name: string, kinds: readonly KindCase[]): Area => ({ name, scenarios: kinds.map(crud) });

/** Every kind of the first slice, from creation to deletion. */
export const kindAreas: readonly Area[] = [
  area('core', coreKinds),
  area('apps', appsKinds),
  area('batch', batchKinds),
  area('other-groups', policyKinds),
];
