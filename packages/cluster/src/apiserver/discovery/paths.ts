import type { NonResourceRoute, Registry } from '../types.ts';
import { servedGroups } from './groups.ts';

const fixedPaths = [
  '/api',
  '/apis',
  '/healthz',
  '/healthz/ping',
  '/livez',
  '/livez/ping',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/readyz/ping',
  '/version',
];

/** `/`: every path one can ask for. */
export function pathsRoute(registry: Registry): NonResourceRoute {
  return {
    match: (path) => path === '/' || path === '',
    handle() {
      const paths = servedGroups(registry).flatMap((group) => {
        const root = group.name === '' ? '/api' : `/apis/${group.name}`;
        const versions = group.versions.map(({ version }) => `${root}/${version}`);
        return group.name === '' ? versions : [root, ...versions];
      });
      return { kind: 'object', code: 200, body: { paths: [...fixedPaths, ...paths].sort() } };
    },
  };
}
