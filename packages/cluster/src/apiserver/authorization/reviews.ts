import type { MutableJson } from '@coxswain/k8s';
import { badRequest, formatTime, invalid } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { listAt, objectAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { invalidValue } from '../builtin/shared/errors.ts';
import type { StrategyContext, UserInfo } from '../types.ts';
import { joined } from './rbac.ts';
import type { Attributes, Authorizer } from './types.ts';

/** Answers a question that was POSTed. */
export type AccessReview = (draft: MutableJson, context: StrategyContext) => MutableJson;

const group = 'authorization.k8s.io';
const texts = (values: readonly unknown[]) => values.filter((value): value is string => typeof value === 'string');

function attributesOf(spec: ReadJson): Attributes {
  const resource = objectAt(spec, 'resourceAttributes');
  const path = objectAt(spec, 'nonResourceAttributes');
  if (!resource) return { kind: 'path', verb: textAt(path, 'verb'), path: textAt(path, 'path') };
  return {
    kind: 'resource',
    verb: textAt(resource, 'verb'),
    group: textAt(resource, 'group'),
    resource: textAt(resource, 'resource'),
    subresource: textAt(resource, 'subresource'),
    namespace: textAt(resource, 'namespace'),
    name: textAt(resource, 'name'),
  };
}

function specErrors(spec: ReadJson): FieldError[] {
  const given = ['resourceAttributes', 'nonResourceAttributes'].filter((key) => objectAt(spec, key)).length;
  if (given === 1) return [];
  const text = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec', objectAt(spec, 'nonResourceAttributes') ?? null, text)];
}

function subjectErrors(spec: ReadJson): FieldError[] {
  if (textAt(spec, 'user') !== '' || listAt(spec, 'groups').length > 0) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

function localErrors(draft: MutableJson, spec: ReadJson): FieldError[] {
  const errors: FieldError[] = [];
  const resource = objectAt(spec, 'resourceAttributes');
  if (resource && textAt(resource, 'namespace') !== textAt(objectAt(draft, 'metadata'), 'namespace')) {
    const field = 'spec.resourceAttributes.namespace';
    errors.push(invalidValue(field, textAt(resource, 'namespace'), 'must match metadata.namespace'));
  }
  const path = objectAt(spec, 'nonResourceAttributes');
  if (path) errors.push(invalidValue('spec.nonResourceAttributes', path, 'disallowed on this kind of request'));
  return errors;
}

function subjectOf(spec: ReadJson): UserInfo {
  return { name: textAt(spec, 'user'), groups: texts(listAt(spec, 'groups')) };
}

function decided(authorizer: Authorizer, draft: MutableJson, user: UserInfo, spec: ReadJson): MutableJson {
  const { allowed, reason } = authorizer.authorize(user, attributesOf(spec));
  return { ...draft, status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

/** @throws ApiError Invalid */
function refuse(errors: readonly FieldError[]): void {
  // The real server names no kind here.
  if (errors.length > 0) throw invalid(group, '', '', errors);
}

function subjectReview(authorizer: Authorizer, local: boolean): AccessReview {
  return (draft) => {
    const spec = objectAt(draft, 'spec') ?? {};
    refuse([...specErrors(spec), ...subjectErrors(spec), ...(local ? localErrors(draft, spec) : [])]);
    return decided(authorizer, draft, subjectOf(spec), spec);
  };
}

function selfReview(authorizer: Authorizer): AccessReview {
  return (draft, { user }) => {
    const spec = objectAt(draft, 'spec') ?? {};
    refuse(specErrors(spec));
    return decided(authorizer, draft, user, spec);
  };
}

function selfRules(authorizer: Authorizer): AccessReview {
  return (draft, { user }) => {
    const namespace = textAt(objectAt(draft, 'spec'), 'namespace');
    if (namespace === '') throw badRequest('no namespace on request');
    const { rules, errors } = authorizer.rulesFor(user, namespace);
    const resourceRules = rules
      .filter(({ resources }) => resources?.length)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs: verbs ?? [],
        apiGroups: apiGroups ?? [],
        resources: resources ?? [],
        ...(resourceNames?.length ? { resourceNames } : {}),
      }));
    const nonResourceRules = rules
      .filter(({ nonResourceURLs }) => nonResourceURLs?.length)
      .map(({ verbs, nonResourceURLs }) => ({ verbs: verbs ?? [], nonResourceURLs: nonResourceURLs ?? [] }));
    const evaluationError = errors.length === 0 ? {} : { evaluationError: joined(errors) };
    return {
      ...draft,
      metadata: {},
      spec: {},
      status: { resourceRules, nonResourceRules, incomplete: false, ...evaluationError },
    };
  };
}

/** A user as the API shows it. */
export function userStatus({ name, uid, groups, extra }: UserInfo): MutableJson {
  return {
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}

const whoAmI: AccessReview = (draft, { user, clock }) => ({
  ...draft,
  metadata: { creationTimestamp: formatTime(clock.now()) },
  status: { userInfo: userStatus(user) },
});

/** Kinds that ask what somebody may do: a POST is answered, nothing is stored. By `group/plural`. */
export function accessReviews(authorizer: Authorizer): Readonly<Record<string, AccessReview>> {
  return {
    'authentication.k8s.io/selfsubjectreviews': whoAmI,
    'authorization.k8s.io/selfsubjectaccessreviews': selfReview(authorizer),
    'authorization.k8s.io/subjectaccessreviews': subjectReview(authorizer, false),
    'authorization.k8s.io/localsubjectaccessreviews': subjectReview(authorizer, true),
    'authorization.k8s.io/selfsubjectrulesreviews': selfRules(authorizer),
  };
}
