import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';

/** Tells on a pod what was set. */
const annotation = 'kubernetes.io/limit-ranger';

type Defaults = Readonly<Record<'requests' | 'limits', ReadJson>>;

function defaultsOf(range: ReadJson): Defaults {
  const items = objectsAt(objectAt(range, 'spec'), 'limits').filter((item) => item.type === 'Container');
  const merged = (key: string) => Object.assign({}, ...items.map((item) => objectAt(item, key) ?? {})) as ReadJson;
  return { requests: merged('defaultRequest'), limits: merged('default') };
}

/** Sets what a container leaves open; answers what was set, in words. */
function fillContainer(container: MutableJson, defaults: Defaults, what: string): string[] {
  return (['requests', 'limits'] as const).flatMap((side) => {
    const present = objectAt(objectAt(container, 'resources'), side) ?? {};
    const missing = Object.keys(defaults[side]).filter((name) => !(name in present));
    if (missing.length === 0) return [];
    const target = ensureObject(ensureObject(container, 'resources'), side);
    for (const name of missing) target[name] = defaults[side][name];
    const word = side === 'requests' ? 'request' : 'limit';
    return [`${missing.sort().join(', ')} ${word} for ${what} ${textAt(container, 'name')}`];
  });
}

/** Gives the containers of a pod the defaults of a LimitRange. */
export function applyContainerDefaults(range: ReadJson, pod: MutableJson): void {
  const defaults = defaultsOf(range);
  const spec = objectAt(pod, 'spec');
  const done = [
    ...objectsAt(spec, 'containers').flatMap((one) => fillContainer(one, defaults, 'container')),
    ...objectsAt(spec, 'initContainers').flatMap((one) => fillContainer(one, defaults, 'init container')),
  ];
  if (done.length === 0) return;
  ensureObject(ensureObject(pod, 'metadata'), 'annotations')[annotation] = `LimitRanger plugin set: ${done.join('; ')}`;
}
