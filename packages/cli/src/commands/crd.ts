import type { CustomResourceDefinition } from '@coxswain/k8s';
import { checkCrd } from '@coxswain/schema/check';
import { diffCrd } from '@coxswain/schema/diff';
import { UnmetError, UsageError } from '../errors.ts';
import { loadManifests } from '../manifests/load.ts';
import type { Screen } from '../view/live.ts';

/**
 * `cox crd diff`: the changes of each CRD that is in both files, one a line; a CRD that is gone is an error.
 * @throws UnmetError when there is a change that breaks something
 */
export async function diffCrds(before: string, after: string, screen: Screen): Promise<void> {
  const now = new Map((await crdsOf(after)).map((crd) => [crd.metadata.name, crd]));
  let errors = 0;
  for (const was of await crdsOf(before)) {
    const { name } = was.metadata;
    const is = now.get(name);
    if (!is) screen.write(`${name}: error: the CRD is gone, and its objects with it\n`);
    const changes = is ? diffCrd(was, is) : [];
    for (const { severity, version, path, message } of changes) {
      screen.write(`${[name, version, path].filter(Boolean).join(' ')}: ${severity}: ${message}\n`);
    }
    errors += is ? changes.filter(({ severity }) => severity === 'error').length : 1;
  }
  if (errors > 0) throw new UnmetError(`${after}: ${errors} breaking ${errors === 1 ? 'change' : 'changes'}`);
}

/**
 * `cox crd check`: the problems of each CRD of a file, one a line.
 * @throws UnmetError when a server would refuse one
 */
export async function checkCrds(file: string, screen: Screen): Promise<void> {
  let errors = 0;
  for (const crd of await crdsOf(file)) {
    for (const { severity, field, message, addBounds } of checkCrd(crd)) {
      if (severity === 'error') errors++;
      const advice = addBounds ? `; add ${addBounds.join(', ')}` : '';
      screen.write(`${crd.metadata.name}: ${severity}: ${field}: ${message}${advice}\n`);
    }
  }
  if (errors > 0) throw new UnmetError(`${file}: ${errors} ${errors === 1 ? 'error' : 'errors'}`);
}

async function crdsOf(file: string): Promise<readonly CustomResourceDefinition[]> {
  const crds = (await loadManifests([file])).filter(({ object }) => object.kind === 'CustomResourceDefinition');
  if (crds.length === 0) throw new UsageError(`${file}: there is no CustomResourceDefinition in it`);
  return crds.map(({ object, place }) => {
    const crd = object as unknown as CustomResourceDefinition;
    if (object.apiVersion !== 'apiextensions.k8s.io/v1' || !Array.isArray(crd.spec?.versions))
      throw new UsageError(`${place('spec')}: not a definition of apiextensions.k8s.io/v1 with versions`);
    return crd;
  });
}
