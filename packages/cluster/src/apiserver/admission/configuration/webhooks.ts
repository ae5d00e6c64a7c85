import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import {
  fill,
  given,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../../builtin/shared/draft.ts';
import { duplicate, invalidValue, required } from '../../builtin/shared/errors.ts';
import { dns1035Label, dnsSubdomain } from '../../builtin/shared/names.ts';
import { validateLabelSelector } from '../../builtin/shared/selectors.ts';
import type { Strategy } from '../../types.ts';
import { textsAt } from '../matching/index.ts';
import { clientErrors } from './client-errors.ts';
import { conditionErrors } from './condition-errors.ts';
import { loadChecks } from './engine.ts';
import { failurePolicies, nameErrors, reinvocationPolicies, ruleErrors, wordErrors } from './rule-errors.ts';
import { unheardWarnings } from './unheard.ts';

type Flavour = 'mutating' | 'validating';

/** Review versions that are spoken here. */
const spoken = ['v1', 'v1beta1'];
const harmless = ['None', 'NoneOnDryRun'];
const sideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];

const hooksOf = (object: ReadJson | undefined): readonly MutableJson[] => objectsAt(object, 'webhooks');

/** Rules that came later than the kind: an object that broke them before may go on. */
interface Demands {
  readonly harmless: boolean;
  readonly spoken: boolean;
  readonly unique: boolean;
  readonly conditions: boolean;
}

const speaks = (hook: ReadJson): boolean => {
  const versions = textsAt(hook, 'admissionReviewVersions');
  return versions.length === 0 || versions.some((version) => spoken.includes(version));
};

function demandsFor(object: ReadJson, old: ReadJson | undefined): Demands {
  if (!old) return { harmless: true, spoken: true, unique: true, conditions: true };
  const hooks = hooksOf(old);
  const [now, before] = [object, old].map((one) => hooksOf(one).map(({ matchConditions = [] }) => matchConditions));
  return {
    harmless: hooks.every((hook) => harmless.includes(textAt(hook, 'sideEffects'))),
    spoken: hooks.every(speaks),
    unique: new Set(hooks.map(({ name }) => name)).size === hooks.length,
    conditions: !sameJson(now, before),
  };
}

function hookNameErrors(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  const bad = dnsSubdomain(name);
  if (bad.length > 0) return [invalidValue(field, name, bad.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')];
}

function sideEffectErrors(hook: ReadJson, field: string, demands: Demands): readonly FieldError[] {
  const allowed = demands.harmless ? harmless : sideEffects;
  if (!given(hook.sideEffects)) return [required(field, `must specify one of ${allowed.join(', ')}`)];
  return wordErrors(hook.sideEffects, field, allowed);
}

function versionErrors(hook: ReadJson, field: string, demands: Demands): readonly FieldError[] {
  const versions = textsAt(hook, 'admissionReviewVersions');
  if (versions.length === 0) return [required(field, `must specify one of ${spoken.join(', ')}`)];
  const seen = new Set<string>();
  const errors: FieldError[] = versions.flatMap((version, i) => {
    if (seen.has(version)) return [invalidValue(`${field}[${i}]`, version, 'duplicate version')];
    seen.add(version);
    return dns1035Label(version).map((text) => invalidValue(`${field}[${i}]`, version, text));
  });
  if (demands.spoken && !speaks(hook)) {
    errors.push(invalidValue(field, versions, `must include at least one of ${spoken.join(', ')}`));
  }
  return errors;
}

function hookErrors(hook: ReadJson, field: string, flavour: Flavour, demands: Demands, old: ReadJson | undefined) {
  const seconds = numberAt(hook, 'timeoutSeconds') ?? 10;
  const range = 'the timeout value must be between 1 and 30 seconds';
  return [
    ...hookNameErrors(textAt(hook, 'name'), `${field}.name`),
    ...objectsAt(hook, 'rules').flatMap((rule, i) => ruleErrors(rule, `${field}.rules[${i}]`)),
    ...wordErrors(hook.failurePolicy, `${field}.failurePolicy`, failurePolicies),
    ...wordErrors(hook.matchPolicy, `${field}.matchPolicy`, ['Equivalent', 'Exact']),
    ...sideEffectErrors(hook, `${field}.sideEffects`, demands),
    ...(seconds < 1 || seconds > 30 ? [invalidValue(`${field}.timeoutSeconds`, seconds, range)] : []),
    ...['namespaceSelector', 'objectSelector'].flatMap((key) =>
      validateLabelSelector(objectAt(hook, key), `${field}.${key}`),
    ),
    ...(flavour === 'mutating'
      ? wordErrors(hook.reinvocationPolicy, `${field}.reinvocationPolicy`, reinvocationPolicies)
      : []),
    ...clientErrors(objectAt(hook, 'clientConfig'), `${field}.clientConfig`),
    ...(demands.conditions ? conditionErrors(hook, field, { params: false, old }) : []),
    ...versionErrors(hook, `${field}.admissionReviewVersions`, demands),
  ];
}

function configurationErrors(object: ReadJson, old: ReadJson | undefined, flavour: Flavour): readonly FieldError[] {
  const demands = demandsFor(object, old);
  const names = new Set<string>();
  const before = { matchConditions: hooksOf(old).flatMap((hook) => objectsAt(hook, 'matchConditions')) };
  return hooksOf(object).flatMap((hook, i) => {
    const field = `webhooks[${i}]`;
    const name = textAt(hook, 'name');
    const twice = demands.unique && name !== '' && names.has(name) ? [duplicate(`${field}.name`, name)] : [];
    names.add(name);
    return [...hookErrors(hook, field, flavour, demands, before), ...twice];
  });
}

function defaultHooks(draft: MutableJson, flavour: Flavour): void {
  for (const hook of hooksOf(draft)) {
    fill(hook, 'failurePolicy', 'Fail');
    fill(hook, 'matchPolicy', 'Equivalent');
    fill(hook, 'namespaceSelector', {});
    fill(hook, 'objectSelector', {});
    fill(hook, 'timeoutSeconds', 10);
    if (flavour === 'mutating') fill(hook, 'reinvocationPolicy', 'Never');
    for (const rule of objectsAt(hook, 'rules')) fill(rule, 'scope', '*');
    const service = objectAt(objectAt(hook, 'clientConfig'), 'service');
    if (service) fill(service, 'port', 443);
  }
}

function webhookStrategy(flavour: Flavour): Strategy {
  return {
    default: (draft) => defaultHooks(draft, flavour),
    ready: (draft) => (hooksOf(draft).some(({ matchConditions }) => given(matchConditions)) ? loadChecks() : undefined),
    validateRules: (object, old) => [...configurationErrors(object, old, flavour), ...(old ? [] : nameErrors(object))],
    warnings: (object) => unheardWarnings(hooksOf(object)),
  };
}

/** The rules of the kinds that configure webhooks. */
export const mutatingWebhookStrategy = webhookStrategy('mutating');
export const validatingWebhookStrategy = webhookStrategy('validating');
