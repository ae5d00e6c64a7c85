import type { Cluster } from '@coxswain/cluster';
import { matrixoneOperator } from '@coxswain/operator-matrixone';

/** Requests by `VERB RESOURCE` and `VERB RESOURCE/SUBRESOURCE`. */
export type Requests = ReadonlyMap<string, number>;

const verbs = ['create', 'update', 'patch', 'delete', 'get', 'list', 'watch'] as const;
const reads: ReadonlySet<string | undefined> = new Set(['get', 'list', 'watch']);

/** Sorts the parts of a name that the server tells apart. */
function matchOf(name: string) {
  const [resource = '', subresource = ''] = name.split('/');
  return { resource, subresource };
}

/** Counts at the server what one user asks for; answers the counts. Leases are what being the leader costs, and are left out. */
export function countRequests(cluster: Cluster, user: string): () => Requests {
  const resources = new Set(matrixoneOperator.rules().flatMap((rule) => rule.resources ?? []));
  resources.delete('leases');
  const counters = [...resources].flatMap((name) =>
    verbs.map((verb) => {
      // A rule that is never due disturbs nothing, and counts.
      const rule = { match: { user, verb, ...matchOf(name) }, when: { probability: 0 }, action: { latency: 0 } };
      return [`${verb} ${name}`, cluster.faults.add(rule)] as const;
    }),
  );
  return () => new Map(counters.map(([what, { counts }]) => [what, counts.matched]));
}

/** What came in between. */
export function difference(before: Requests, after: Requests): Requests {
  const more = [...after].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const);
  return new Map(more.filter(([, count]) => count > 0));
}

export function total(requests: Requests): number {
  return [...requests.values()].reduce((sum, count) => sum + count, 0);
}

export function writes(requests: Requests): number {
  return total(new Map([...requests].filter(([what]) => !reads.has(what.split(' ')[0]))));
}
