import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  fillZero,
  listAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { immutableText, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsSubdomain, pathSegment } from '../shared/names.ts';
import { validateLabelSelector } from '../shared/selectors.ts';

const group = 'rbac.authorization.k8s.io';

function validateRule(rule: ReadJson, clusterWide: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const urls = listAt(rule, 'nonResourceURLs');
  if (urls.length > 0) {
    if (!clusterWide) {
      const text = 'namespaced rules cannot apply to non-resource URLs';
      errors.push(invalidValue(`${field}.nonResourceURLs`, urls, text));
    }
    if (['apiGroups', 'resources', 'resourceNames'].some((key) => listAt(rule, key).length > 0)) {
      errors.push(
        invalidValue(
          `${field}.nonResourceURLs`,
          urls,
          'rules cannot apply to both regular resources and non-resource URLs',
        ),
      );
    }
    return errors;
  }
  if (listAt(rule, 'apiGroups').length === 0) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (listAt(rule, 'resources').length === 0) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function roleStrategyOf(clusterWide: boolean): Strategy {
  return {
    default(draft) {
      if (listAt(draft, 'rules').length === 0) draft.rules = null;
    },
    validate(object) {
      const errors = objectsAt(object, 'rules').flatMap((rule, i) => validateRule(rule, clusterWide, `rules[${i}]`));
      objectsAt(object, 'rules').forEach((rule, i) => {
        if (listAt(rule, 'verbs').length === 0) errors.push(required(`rules[${i}].verbs`));
      });
      const aggregation = objectAt(object, 'aggregationRule');
      if (!clusterWide || !aggregation) return errors;
      const selectors = objectsAt(aggregation, 'clusterRoleSelectors');
      const field = 'aggregationRule.clusterRoleSelectors';
      if (selectors.length === 0) {
        errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
      }
      for (const [i, selector] of selectors.entries()) {
        const found = validateLabelSelector(selector, `${field}[${i}]`);
        errors.push(...found);
        if (found.length > 0) errors.push(invalidValue(`${field}[${i}]`, null, 'invalid label selector.'));
      }
      return errors;
    },
  };
}

export const roleStrategy = roleStrategyOf(false);
export const clusterRoleStrategy = roleStrategyOf(true);

function defaultBinding(draft: MutableJson): void {
  fillZero(ensureObject(draft, 'roleRef'), 'apiGroup', group);
  for (const subject of objectsAt(draft, 'subjects')) {
    if (subject.kind === 'User' || subject.kind === 'Group') fill(subject, 'apiGroup', group);
  }
}

/** The reference as the server's message prints it. */
function goRef(binding: ReadJson): object {
  const ref = objectAt(binding, 'roleRef');
  return { APIGroup: textAt(ref, 'apiGroup'), Kind: textAt(ref, 'kind'), Name: textAt(ref, 'name') };
}

function validateSubject(subject: ReadJson, clusterWide: boolean, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = textAt(subject, 'name');
  const apiGroup = textAt(subject, 'apiGroup');
  switch (textAt(subject, 'kind')) {
    case 'ServiceAccount':
      if (name !== '') errors.push(...dnsSubdomain(name).map((text) => invalidValue(`${field}.name`, name, text)));
      if (apiGroup !== '') errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      if (clusterWide && textAt(subject, 'namespace') === '') errors.push(required(`${field}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      if (apiGroup !== group) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [group]));
      return errors;
    default:
      return [...errors, notSupported(`${field}.kind`, subject.kind ?? '', ['ServiceAccount', 'User', 'Group'])];
  }
}

function bindingStrategyOf(clusterWide: boolean): Strategy {
  const kinds = clusterWide ? ['ClusterRole'] : ['Role', 'ClusterRole'];
  return {
    default: defaultBinding,
    validate(object) {
      const ref = objectAt(object, 'roleRef');
      const errors: FieldError[] = [];
      const apiGroup = textAt(ref, 'apiGroup');
      const kind = textAt(ref, 'kind');
      const name = textAt(ref, 'name');
      if (apiGroup !== group) errors.push(notSupported('roleRef.apiGroup', apiGroup, [group]));
      if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds));
      errors.push(...pathSegment(name).map((text) => invalidValue('roleRef.name', name, text)));
      const subjects = objectsAt(object, 'subjects');
      errors.push(...subjects.flatMap((subject, i) => validateSubject(subject, clusterWide, `subjects[${i}]`)));
      subjects.forEach((subject, i) => {
        if (textAt(subject, 'name') === '') errors.push(required(`subjects[${i}].name`));
      });
      if (name === '') errors.push(required('roleRef.name'));
      return errors;
    },
    validateUpdate: (object, old) =>
      sameJson(object.roleRef, old.roleRef) ? [] : [invalidValue('roleRef', goRef(object), immutableText)],
  };
}

export const roleBindingStrategy = bindingStrategyOf(false);
export const clusterRoleBindingStrategy = bindingStrategyOf(true);
