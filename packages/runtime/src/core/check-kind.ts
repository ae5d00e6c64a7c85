import type { Kind } from '@coxswain/k8s';

/**
 * Refuses what is no kind, as an import that does not exist is.
 * @param what took it, as people call it: `owns`
 * @throws TypeError
 */
export function checkKind(what: string, kind: Kind): void {
  const { group, version, kind: name, plural } = (kind ?? {}) as Partial<Kind>;
  if (typeof group === 'string' && [version, name, plural].every((text) => typeof text === 'string' && text !== ''))
    return;
  throw new TypeError(`${what}: this is no kind; give one of @coxswain/k8s, or what defineResource made`);
}
