import type { KubeObject } from '@coxswain/k8s';
import fc from 'fast-check';
import { sameJson } from '../json.ts';
import type { VersionedResource } from '../resource/define-versions.ts';
import { isSimple, validValue } from './valid-values.ts';

type Convertible = Pick<VersionedResource, 'group' | 'kind' | 'versionNames' | 'version' | 'convert'>;

/** What `roundTrip` tries; all of it optional. */
export interface RoundTripOptions {
  /** Objects by version, for schemas with patterns, lengths or combinators: from those no value can be made up. */
  readonly objects?: Readonly<Record<string, fc.Arbitrary<KubeObject>>>;
}

/**
 * Holds the converters of a kind to their word, with objects made up from its schemas: from each version to every other
 * and back, nothing is lost, and what comes out is valid there. So it is for kinds whose versions can say the same things.
 * @throws Error with the smallest object that does not come back, and the seed; or when no objects can be made up
 */
export function roundTrip(resource: Convertible, options: RoundTripOptions = {}): void {
  const names = resource.versionNames;
  for (const from of names) {
    const objects = objectsOf(resource, from, options);
    for (const to of names) {
      if (from !== to) fc.assert(comesBack(resource, objects, from, to), { includeErrorInReport: true });
    }
  }
}

function objectsOf(resource: Convertible, name: string, { objects = {} }: RoundTripOptions): fc.Arbitrary<KubeObject> {
  const version = resource.version(name);
  const { group, kind } = resource;
  const given = objects[name];
  if (!given && !isSimple(version.schema)) {
    throw new Error(`${group}/${name} ${kind}: its schema is too strict to make up objects; pass objects.${name}`);
  }
  return (given ?? validValue(version.schema)).map((value) => {
    const object = { ...(value as KubeObject), apiVersion: `${group}/${name}`, kind };
    return given ? object : { ...object, metadata: { name: 'a' } };
  });
}

function comesBack(resource: Convertible, objects: fc.Arbitrary<KubeObject>, from: string, to: string) {
  const [there, back] = [`${resource.group}/${to}`, `${resource.group}/${from}`];
  return fc.property(objects, (object) => {
    const converted = resource.convert(object, there);
    const [error] = resource.version(to).validate(converted);
    if (error) throw new Error(`${back} to ${there}: ${error.field}: ${error.message}`);
    const returned = resource.convert(converted, back);
    if (!sameJson(returned, object)) {
      throw new Error(`${back} to ${there} and back is not the same: ${JSON.stringify(returned)}`);
    }
  });
}
