import { mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';

/** A pod, or a template of pods, as the checks see it. */
export interface PodView {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: ReadJson;
  /** Of all three sorts: those that initialise first, then the main ones, then the ephemeral. */
  readonly containers: readonly ReadJson[];
}

/** `undefined` when there is no spec in it. */
export function podView(pod: ReadJson | undefined): PodView | undefined {
  const spec = objectAt(pod, 'spec');
  if (!spec) return undefined;
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) => objectsAt(spec, key));
  return { annotations: mapAt(objectAt(pod, 'metadata'), 'annotations'), spec, containers };
}

export const securityOf = (parent: ReadJson): ReadJson => objectAt(parent, 'securityContext') ?? {};

export const nameOf = (part: ReadJson): string => textAt(part, 'name');

export const isWindows = ({ spec }: PodView): boolean => textAt(objectAt(spec, 'os'), 'name') === 'windows';

/** A pod in a user namespace of its own: being root in there is not being root. */
export const hasOwnUsers = ({ spec }: PodView): boolean => spec.hostUsers === false;

export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ');

export const sorted = (items: Iterable<string>): string[] => [...new Set(items)].sort();

/** `container "a"`, `containers "a", "b"` */
export const named = (noun: string, names: readonly string[]): string =>
  `${noun}${names.length === 1 ? '' : 's'} ${quoted(names)}`;

/** Who of the pod itself and its containers is to blame: `pod and container "a"`. */
export function blamed(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [named('container', containers)] : [])].join(' and ');
}
