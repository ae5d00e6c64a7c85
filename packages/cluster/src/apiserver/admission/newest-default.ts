import type { Storage } from '../../storage/types.ts';

/** The class that one of `annotations` marks as default. Of several the newest counts, then the first by name. */
export function newestDefault(storage: Storage, resource: string, annotations: readonly string[]): string | undefined {
  const classes = storage.list(resource).objects.filter(({ metadata }) => {
    return annotations.some((annotation) => metadata.annotations?.[annotation] === 'true');
  });
  const newest = classes
    .map(({ metadata }) => metadata.creationTimestamp ?? '')
    .sort()
    .at(-1);
  return classes.find(({ metadata }) => (metadata.creationTimestamp ?? '') === newest)?.metadata.name;
}
