import { type DynamicObject, type MutableJson, parseApiVersion } from '@coxswain/k8s';
import { stringifyJson } from '@coxswain/runtime/client';
import type { KindVersions } from '../fieldmanager/index.ts';
import type { RemoteConversion } from '../types.ts';
import { draftOf } from './clone.ts';
import type { Call } from './context.ts';

/** Thrown through a step that needs an object in another version: it runs again when that is known. */
class NotConverted extends Error {
  readonly id: string;
  /** As it was when it was needed: the step may take back what it did to it. */
  readonly object: MutableJson;
  readonly apiVersion: string;

  constructor(id: string, object: MutableJson, apiVersion: string) {
    super(`an object was not converted to ${apiVersion} yet`);
    this.id = id;
    this.object = draftOf(object);
    this.apiVersion = apiVersion;
  }
}

/** Far more than a request can need: a few for each version in which somebody owns fields. */
const mostConversions = 1_000;

function versionsOf(call: Call, convert: KindVersions['convert']): KindVersions {
  const { registry } = call.server;
  return {
    schemaOf(apiVersion) {
      const { group, version } = parseApiVersion(apiVersion);
      return group === call.resource.group ? registry.find(group, version, call.resource.plural)?.schema : undefined;
    },
    convert,
  };
}

/**
 * Runs a step that may need objects in other versions of the kind. Where versions are made elsewhere, the step runs again for each
 * object that it turns out to need: it must change nothing before it is through. Answers no promise where none is needed.
 */
export function withVersions<T>(call: Call, step: (versions: KindVersions | undefined) => T): T | Promise<T> {
  const { conversion, builtIn } = call.resource;
  if (builtIn || !conversion) return step(undefined);
  if (conversion.remote) return whenConverted(call, conversion.remote, step);
  return step(versionsOf(call, (object, apiVersion) => ({ ...object, apiVersion })));
}

async function whenConverted<T>(
  call: Call,
  remote: RemoteConversion,
  step: (versions: KindVersions | undefined) => T,
): Promise<T> {
  const known = new Map<string, MutableJson>();
  const versions = versionsOf(call, (object, apiVersion) => {
    const id = `${apiVersion} ${stringifyJson(object)}`;
    const made = known.get(id);
    if (made) return made;
    throw new NotConverted(id, object as MutableJson, apiVersion);
  });
  for (let left = mostConversions; ; left--) {
    try {
      return step(versions);
    } catch (error) {
      if (!(error instanceof NotConverted)) throw error;
      const { id, object, apiVersion } = error;
      if (left === 0) throw new Error(`a step needs more than ${mostConversions} conversions`);
      const made = await remote.to(object as unknown as DynamicObject, apiVersion);
      known.set(id, made ?? { ...object, apiVersion });
    }
  }
}
