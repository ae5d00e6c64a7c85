import { type DynamicObject, parseApiVersion } from '@coxswain/k8s';
import { invalid } from '@coxswain/runtime/core';
import { type Attributes, type Authorizer, masters } from '../../authorization/index.ts';
import { objectAt, type ReadJson, sameJson, textAt } from '../../builtin/shared/draft.ts';
import { forbiddenField } from '../../builtin/shared/errors.ts';
import type { AdmissionAttributes, AdmissionPlugin, Registry, UserInfo } from '../../types.ts';

const group = 'admissionregistration.k8s.io';

/** A user as the real server prints its own record of one. */
function userText({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const entries = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${entries.sort().join(' ')}]}`;
}

/** Where a kind of parameters is found. What is not known counts as everything. */
function targetOf(
  kind: ReadJson | undefined,
  registry: Registry,
): { readonly group: string; readonly resource: string } {
  if (!kind) return { group: '*', resource: '*' };
  const { group: wanted, version } = parseApiVersion(textAt(kind, 'apiVersion'));
  const found = registry
    .all()
    .find((one) => one.group === wanted && one.version === version && one.kind === textAt(kind, 'kind'));
  return { group: wanted, resource: found?.plural ?? '*' };
}

const ask = (
  verb: string,
  target: { group: string; resource: string },
  namespace: string,
  name: string,
): Attributes => ({
  kind: 'resource',
  verb,
  ...target,
  subresource: '',
  namespace,
  name,
});

interface Rights {
  readonly authorizer: Authorizer;
  readonly registry: Registry;
}

function policyProblem(
  { object, old, user }: AdmissionAttributes,
  { authorizer, registry }: Rights,
): string | undefined {
  const kind = objectAt(objectAt(object, 'spec'), 'paramKind');
  if (!kind || sameJson(kind, objectAt(objectAt(old as ReadJson | undefined, 'spec'), 'paramKind'))) return undefined;
  if (authorizer.authorize(user, ask('get', targetOf(kind, registry), '*', '*')).allowed) return undefined;
  const what = `(kind=${textAt(kind, 'kind')}, apiVersion=${textAt(kind, 'apiVersion')})`;
  return `user ${userText(user)} must have "get" permission on all objects of the referenced paramKind ${what}`;
}

function bindingProblem(attributes: AdmissionAttributes, { authorizer, registry }: Rights): string | undefined {
  const { object, old, user, storage, resource } = attributes;
  const spec = objectAt(object, 'spec') ?? {};
  const before = objectAt(old as ReadJson | undefined, 'spec');
  const reference = objectAt(spec, 'paramRef');
  if (!reference || (before && sameJson(spec.paramRef, before.paramRef) && spec.policyName === before.policyName)) {
    return undefined;
  }
  const policyName = textAt(spec, 'policyName');
  const policies = `${group}/${resource.plural.replace('policybindings', 'policies')}`;
  const policy = storage.get({ resource: policies, namespace: '', name: policyName }) as DynamicObject | undefined;
  const kind = objectAt(objectAt(policy, 'spec'), 'paramKind');
  const name = textAt(reference, 'name');
  const verb = name === '' ? 'list' : 'get';
  const target = targetOf(kind, registry);
  if (authorizer.authorize(user, ask(verb, target, textAt(reference, 'namespace'), name)).allowed) return undefined;
  const who = userText(user);
  const lacks = `user ${who} does not have ${JSON.stringify(verb)} permission for all groups, versions and resources`;
  if (!policy) return `unable to get policy ${policyName} to determine minimum required permissions and ${lacks}`;
  if (kind && target.resource === '*') {
    const text = `&{${textAt(kind, 'apiVersion')} ${textAt(kind, 'kind')}}`;
    return `unable to resolve paramKind ${text} to determine minimum required permissions and ${lacks}`;
  }
  // For mutating policies the two are the wrong way round in the real server's text as well.
  const [first, second] = resource.plural.startsWith('mutating') ? [verb, who] : [who, verb];
  return `user ${first} does not have "${second}" permission on the object referenced by paramRef`;
}

/** Who lets a policy read objects has to be allowed to read them: its answers would tell of them. */
export function paramRights(authorizer: Authorizer, registry: Registry): AdmissionPlugin {
  return {
    name: 'PolicyParamRights',
    validate(attributes) {
      const { operation, resource, subresource, user, name } = attributes;
      if ((operation !== 'CREATE' && operation !== 'UPDATE') || subresource !== '' || resource.group !== group) return;
      if (user.groups.includes(masters)) return;
      const isBinding = resource.plural.endsWith('admissionpolicybindings');
      if (!isBinding && !resource.plural.endsWith('admissionpolicies')) return;
      const problem = (isBinding ? bindingProblem : policyProblem)(attributes, { authorizer, registry });
      if (problem === undefined) return;
      const field = isBinding ? 'spec.paramRef' : 'spec.paramKind';
      throw invalid(resource.group, resource.kind, name, [forbiddenField(field, problem)]);
    },
  };
}
