import type { DynamicObject } from '@coxswain/k8s';
import { listAt, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { Column } from '../types.ts';
import { age, column, listLength, name, specOf } from './cells.ts';

const webhookColumns: readonly Column[] = [name, column('Webhooks', listLength('webhooks'), 'integer'), age];

function paramKind(policy: DynamicObject): string {
  const kind = objectAt(specOf(policy), 'paramKind');
  return kind ? `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}` : '<unset>';
}

/** A selector as the server prints its own structure. */
function selectorText(selector: ReadJson): string {
  const labels = Object.entries(mapAt(selector, 'matchLabels')).sort();
  const pairs = labels.map(([key, value]) => `${key}: ${value},`).join('');
  const rules = objectsAt(selector, 'matchExpressions').map((rule) => {
    const values = listAt(rule, 'values').join(' ');
    return `LabelSelectorRequirement{Key:${textAt(rule, 'key')},Operator:${textAt(rule, 'operator')},Values:[${values}],},`;
  });
  const expressions = `[]LabelSelectorRequirement{${rules.join('')}}`;
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:${expressions},}`;
}

/** Which parameters a binding takes; those of no namespace may be of any. */
function paramText(binding: DynamicObject): string {
  const ref = objectAt(specOf(binding), 'paramRef');
  if (textAt(ref, 'name') !== '') return `${textAt(ref, 'namespace') || '*'}/${textAt(ref, 'name')}`;
  const selector = objectAt(ref, 'selector');
  return selector ? selectorText(selector) : '<unset>';
}

const policyColumns = (title: string, key: string): readonly Column[] => [
  name,
  column(title, (policy) => listAt(specOf(policy), key).length, 'integer'),
  column('ParamKind', paramKind),
  age,
];
const bindingColumns: readonly Column[] = [
  name,
  column('PolicyName', (binding) => textAt(specOf(binding), 'policyName')),
  column('ParamRef', paramText),
  age,
];

const group = 'admissionregistration.k8s.io';

/** Columns of what decides about writes, by `group/plural`. */
export const admissionTables: Readonly<Record<string, readonly Column[]>> = {
  [`${group}/mutatingwebhookconfigurations`]: webhookColumns,
  [`${group}/validatingwebhookconfigurations`]: webhookColumns,
  [`${group}/validatingadmissionpolicies`]: policyColumns('Validations', 'validations'),
  [`${group}/mutatingadmissionpolicies`]: policyColumns('Mutations', 'mutations'),
  [`${group}/validatingadmissionpolicybindings`]: bindingColumns,
  [`${group}/mutatingadmissionpolicybindings`]: bindingColumns,
};
