import { urlMatches } from './rules.ts';
import type { PolicyRule } from './types.ts';

/** The rule taken apart: each piece has one verb, and one group, resource and (maybe) name, or one URL. */
function pieces(rule: PolicyRule): PolicyRule[] {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const result: PolicyRule[] = [];
  for (const group of apiGroups ?? []) {
    for (const resource of resources ?? []) {
      for (const verb of verbs ?? []) {
        const piece = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames?.length) for (const name of resourceNames) result.push({ ...piece, resourceNames: [name] });
        else result.push(piece);
      }
    }
  }
  for (const url of nonResourceURLs ?? []) {
    for (const verb of verbs ?? []) result.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return result;
}

const hasOrAll = (list: readonly string[] | null | undefined, wanted: string): boolean =>
  list?.includes('*') === true || list?.includes(wanted) === true;

function resourceCovered(resources: readonly string[] | null | undefined, wanted: string): boolean {
  if (hasOrAll(resources, wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && resources?.includes(`*${wanted.slice(slash)}`) === true;
}

/** @param piece one of {@link pieces} */
function coversPiece(rule: PolicyRule, piece: PolicyRule): boolean {
  if (!piece.verbs?.every((verb) => hasOrAll(rule.verbs, verb))) return false;
  const url = piece.nonResourceURLs?.[0];
  if (url !== undefined) return rule.nonResourceURLs?.some((own) => urlMatches(own, url)) === true;
  if (!piece.apiGroups?.every((group) => hasOrAll(rule.apiGroups, group))) return false;
  if (!piece.resources?.every((resource) => resourceCovered(rule.resources, resource))) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || piece.resourceNames?.every((name) => names.includes(name)) === true;
}

/** The pieces of `wanted` that no rule of `held` covers. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(pieces).filter((piece) => !held.some((rule) => coversPiece(rule, piece)));
}

/** Puts the verbs of pieces that differ in nothing else together. */
export function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const simple = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames ?? null]);
    const found = simple.get(key);
    if (found) found.verbs.push(...(rule.verbs ?? []));
    else simple.set(key, { ...rule, verbs: [...(rule.verbs ?? [])] });
  }
  return [...others, ...simple.values()];
}

/** `["a" "b"]`, as Go prints a list of texts. */
export function goList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}` */
export function ruleText(rule: PolicyRule): string {
  const fields: readonly (readonly [string, readonly string[] | null | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const parts = fields.flatMap(([name, list]) => (list?.length ? [`${name}:${goList(list)}`] : []));
  return `{${parts.join(', ')}}`;
}
