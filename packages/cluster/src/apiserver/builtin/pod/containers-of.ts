import { objectsAt, type ReadJson } from '../shared/draft.ts';

/** A container with the path it stands at. */
export interface PlacedContainer {
  readonly container: ReadJson;
  readonly field: string;
}

/** All containers of a pod: init containers, containers, ephemeral containers. */
export function containersOf(spec: ReadJson, field: string): readonly PlacedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) =>
    objectsAt(spec, key).map((container, i) => ({ container, field: `${field}.${key}[${i}]` })),
  );
}
