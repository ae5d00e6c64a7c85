import { given, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';

/** A file of a volume, and where its content comes from. */
interface File {
  readonly path: string;
  readonly source: string;
}

function shown({ path, source }: File): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}

/** Pairs of files of which one is the other, or a folder above it. */
function overlaps(files: readonly File[]): readonly string[] {
  const seen: File[] = [];
  return files.flatMap(({ path: given, source }) => {
    const file = { path: given.replace(/\/+$/, ''), source };
    const found = seen.filter(
      ({ path }) =>
        file.path !== '' &&
        path !== '' &&
        (path === file.path || path.startsWith(`${file.path}/`) || file.path.startsWith(`${path}/`)),
    );
    seen.push(file);
    return found.map((other) => `${shown(file)} with ${shown(other)}`);
  });
}

function items(owner: ReadJson, source: string): readonly File[] {
  return objectsAt(owner, 'items').map((item) => ({ path: textAt(item, 'path'), source }));
}

function filesOfProjection(part: ReadJson): readonly File[] {
  const quoted = (owner: ReadJson, key: string) => JSON.stringify(textAt(owner, key));
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = part as Record<
    string,
    ReadJson | undefined
  >;
  if (given(configMap?.items)) return items(configMap ?? {}, `ConfigMap ${quoted(configMap ?? {}, 'name')}`);
  if (given(secret?.items)) return items(secret ?? {}, `Secret ${quoted(secret ?? {}, 'name')}`);
  if (given(downwardAPI?.items)) return items(downwardAPI ?? {}, 'DownwardAPI');
  if (serviceAccountToken) return [{ path: textAt(serviceAccountToken, 'path'), source: 'ServiceAccountToken' }];
  if (!clusterTrustBundle) return [];
  const name = quoted(clusterTrustBundle, given(clusterTrustBundle.name) ? 'name' : 'signerName');
  return [{ path: textAt(clusterTrustBundle, 'path'), source: `ClusterTrustBundle ${name}` }];
}

/** Warnings about volumes of a pod in which one file hides another. */
export function overlappingPaths(spec: ReadJson): readonly string[] {
  return objectsAt(spec, 'volumes').flatMap((volume) => {
    const name = JSON.stringify(textAt(volume, 'name'));
    const say = (kind: string, files: readonly File[]) =>
      overlaps(files).map((text) => `volume ${name} (${kind}): overlapping paths: ${text}`);
    const { configMap, secret, downwardAPI } = volume as Record<string, ReadJson | undefined>;
    const sources = objectsAt(objectAt(volume, 'projected'), 'sources');
    const empty = sources.filter((source) => Object.keys(source).length === 0);
    return [
      ...(configMap ? say(`ConfigMap ${JSON.stringify(textAt(configMap, 'name'))}`, items(configMap, '')) : []),
      ...(secret ? say(`Secret ${JSON.stringify(textAt(secret, 'secretName'))}`, items(secret, '')) : []),
      ...(downwardAPI ? say('DownwardAPI', items(downwardAPI, '')) : []),
      ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
      ...say('Projected', sources.flatMap(filesOfProjection)),
    ];
  });
}
