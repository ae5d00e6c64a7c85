import { builtinTypes } from './media-types.ts';
import { capital, groupWord, pointer, tagOf, versionWord } from './names.ts';
import type { Operation, Operations } from './operation.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

function reading(path: string, tag: string, id: string, answer: object, produces: readonly string[]): Operations {
  const operation: Operation = {
    method: 'get',
    tag,
    id,
    parameters: [],
    codes: [200],
    answer: answer as Operation['answer'] & object,
    produces,
  };
  return new Map([[path, [operation]]]);
}

const ofMeta = (kind: string) => pointer(`${meta}.${kind}`);
const { object } = builtinTypes;

/** Documents about what is no resource, by the path they are listed under. */
export const plainDocuments: Readonly<Record<string, Operations>> = {
  '.well-known/openid-configuration': reading(
    '/.well-known/openid-configuration/',
    'WellKnown',
    'getServiceAccountIssuerOpenIDConfiguration',
    { type: 'string' },
    ['application/json'],
  ),
  api: reading('/api/', 'core', 'getCoreAPIVersions', ofMeta('APIVersions'), object),
  apis: reading('/apis/', 'apis', 'getAPIVersions', ofMeta('APIGroupList'), object),
  'openid/v1/jwks': reading('/openid/v1/jwks/', 'openid', 'getServiceAccountIssuerOpenIDKeyset', { type: 'string' }, [
    'application/jwk-set+json',
  ]),
  version: reading('/version/', 'version', 'getCodeVersion', pointer('io.k8s.apimachinery.pkg.version.Info'), [
    'application/json',
  ]),
};

/** Discovery of a group: `/apis/apps/`. */
export function groupOperations(group: string): Operations {
  const word = groupWord(group);
  return reading(`/apis/${group}/`, word, `get${capital(word)}APIGroup`, ofMeta('APIGroup'), object);
}

/** Discovery of a version: `/apis/apps/v1/`. */
export function versionOperations(group: string, version: string): Operations {
  const path = group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`;
  const id = `get${versionWord({ group, version })}APIResources`;
  return reading(path, tagOf({ group, version }), id, ofMeta('APIResourceList'), object);
}
