import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fillZero,
  given,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsLabel, dnsSubdomain } from '../shared/names.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { formatErrors } from '../shared/values.ts';
import { conditionTypes } from './condition-types.ts';
import { flowSchemas, mandatoryNames } from './defaults.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const highestPrecedence = 10_000;

const subjectKinds = ['Group', 'ServiceAccount', 'User'] as const;
const keyOfKind = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' } as const;
type SubjectKind = (typeof subjectKinds)[number];

function accountErrors(account: ReadJson, field: string): readonly FieldError[] {
  const [name, namespace] = [textAt(account, 'name'), textAt(account, 'namespace')];
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${field}.name`));
  else if (name !== '*') errors.push(...formatErrors(name, `${field}.name`, dnsSubdomain));
  if (namespace === '') errors.push(required(`${field}.namespace`, 'must specify namespace for service account'));
  else errors.push(...formatErrors(namespace, `${field}.namespace`, dnsLabel));
  return errors;
}

function subjectErrors(subject: ReadJson, field: string): readonly FieldError[] {
  const kind = textAt(subject, 'kind') as SubjectKind;
  if (!subjectKinds.includes(kind)) return [notSupported(`${field}.kind`, kind, subjectKinds)];
  const key = keyOfKind[kind];
  const own = objectAt(subject, key);
  const errors: FieldError[] = [];
  if (!own) errors.push(required(`${field}.${key}`, `${key} is required when subject kind is '${kind}'`));
  else if (kind === 'ServiceAccount') errors.push(...accountErrors(own, `${field}.${key}`));
  else if (textAt(own, 'name') === '') errors.push(required(`${field}.${key}.name`));
  for (const other of ['ServiceAccount', 'User', 'Group'] as const) {
    const name = keyOfKind[other];
    if (other === kind || !given(subject[name])) continue;
    errors.push(forbiddenField(`${field}.${name}`, `${name} is forbidden when subject kind is not '${other}'`));
  }
  return errors;
}

const hasWildcard = (list: readonly unknown[]): boolean => list.includes('*');

function verbErrors(rule: ReadJson, field: string): readonly FieldError[] {
  const given = listAt(rule, 'verbs');
  if (given.length === 0) return [required(`${field}.verbs`, 'verbs must contain at least one value')];
  if (hasWildcard(given)) {
    const text = "if '*' is present, must not specify other verbs";
    return given.length > 1 ? [invalidValue(`${field}.verbs`, given, text)] : [];
  }
  return given.every((verb) => verbs.includes(String(verb))) ? [] : [notSupported(`${field}.verbs`, given, verbs)];
}

function urlError(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function nonResourceErrors(rule: ReadJson, field: string): readonly FieldError[] {
  const urls = listAt(rule, 'nonResourceURLs');
  const own = `${field}.nonResourceURLs`;
  const errors = [...verbErrors(rule, field)];
  if (urls.length === 0) errors.push(required(own, 'nonResourceURLs must contain at least one value'));
  else if (hasWildcard(urls)) {
    const text = "if '*' is present, must not specify other non-resource URLs";
    if (urls.length > 1) errors.push(invalidValue(own, urls, text));
  } else {
    urls.forEach((url, i) => {
      const text = urlError(String(url));
      if (text !== undefined) errors.push(invalidValue(`${own}[${i}]`, url, text));
    });
  }
  return errors;
}

function namespaceErrors(rule: ReadJson, field: string): readonly FieldError[] {
  const namespaces = listAt(rule, 'namespaces');
  const own = `${field}.namespaces`;
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    return [required(own, 'resource rules that are not cluster scoped must supply at least one namespace')];
  }
  if (hasWildcard(namespaces)) {
    const text = "if '*' is present, must not specify other namespaces";
    return namespaces.length > 1 ? [invalidValue(own, namespaces, text)] : [];
  }
  return namespaces.flatMap((namespace, i) =>
    dnsLabel(String(namespace)).map((text) =>
      invalidValue(`${own}[${i}]`, namespace, `each member of this list must be '*' or a DNS-1123 label; ${text}`),
    ),
  );
}

function resourceErrors(rule: ReadJson, field: string): readonly FieldError[] {
  const errors = [...verbErrors(rule, field)];
  const wanted = [
    ['apiGroups', 'api group', 'api groups'],
    ['resources', 'resource', 'resources'],
  ] as const;
  for (const [key, one, many] of wanted) {
    const list = listAt(rule, key);
    if (list.length === 0) errors.push(required(`${field}.${key}`, `resource rules must supply at least one ${one}`));
    else if (list.length > 1 && hasWildcard(list)) {
      errors.push(invalidValue(`${field}.${key}`, list, `if '*' is present, must not specify other ${many}`));
    }
  }
  return [...errors, ...namespaceErrors(rule, field)];
}

function ruleErrors(rule: ReadJson, field: string): readonly FieldError[] {
  const [subjects, resources, urls] = ['subjects', 'resourceRules', 'nonResourceRules'].map((key) =>
    objectsAt(rule, key),
  );
  const errors: FieldError[] = [];
  subjects?.forEach((subject, i) => void errors.push(...subjectErrors(subject, `${field}.subjects[${i}]`)));
  if (subjects?.length === 0) errors.push(required(`${field}.subjects`, 'subjects must contain at least one value'));
  if (resources?.length === 0 && urls?.length === 0) {
    errors.push(required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  resources?.forEach((one, i) => void errors.push(...resourceErrors(one, `${field}.resourceRules[${i}]`)));
  urls?.forEach((one, i) => void errors.push(...nonResourceErrors(one, `${field}.nonResourceRules[${i}]`)));
  return errors;
}

function precedenceErrors(name: string, precedence: number): readonly FieldError[] {
  const invalid = (text: string) => invalidValue('spec.matchingPrecedence', precedence, text);
  if (precedence <= 0) return [invalid('must be a positive value')];
  if (precedence > highestPrecedence) return [invalid(`must not be greater than ${highestPrecedence}`)];
  if (precedence !== 1 || name === 'exempt') return [];
  return [invalid("only the schema named 'exempt' may have matchingPrecedence 1")];
}

export const flowSchemaStrategy: Strategy = {
  resets: statusOnlyResets,
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    fillZero(spec, 'matchingPrecedence', 1000);
    ensureObject(draft, 'status');
  },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  validate(object) {
    const spec = objectAt(object, 'spec');
    const name = textAt(objectAt(object, 'metadata'), 'name');
    const errors = [...precedenceErrors(name, numberAt(spec, 'matchingPrecedence') ?? 0)];
    const method = objectAt(spec, 'distinguisherMethod');
    const methods = ['ByNamespace', 'ByUser'];
    if (method && !methods.includes(textAt(method, 'type'))) {
      errors.push(notSupported('spec.distinguisherMethod.type', { Type: method.type }, methods));
    }
    const level = textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name');
    const levelField = 'spec.priorityLevelConfiguration.name';
    if (level === '') errors.push(required(levelField, 'must reference a priority level'));
    else errors.push(...formatErrors(level, levelField, dnsSubdomain));
    objectsAt(spec, 'rules').forEach((rule, i) => void errors.push(...ruleErrors(rule, `spec.rules[${i}]`)));
    if (mandatoryNames.includes(name) && !sameJson(spec, flowSchemas[name])) {
      errors.push(invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`));
    }
    return [...errors, ...conditionTypes(object)];
  },
};
