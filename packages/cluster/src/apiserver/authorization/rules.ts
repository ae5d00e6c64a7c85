import type { Attributes, PolicyRule } from './types.ts';

type Names = readonly string[] | null | undefined;

function includes(names: Names, wanted: string): boolean {
  if (!names) return false;
  for (const name of names) if (name === wanted || name === '*') return true;
  return false;
}

function resourceMatches(resources: Names, combined: string, subresource: string): boolean {
  if (includes(resources, combined)) return true;
  return subresource !== '' && resources?.includes(`*/${subresource}`) === true;
}

/** Whether a pattern of a rule (`/healthz/*`) covers a path or another pattern. */
export function urlMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}

/** Whether one rule allows what is asked. */
export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!includes(rule.verbs, asked.verb)) return false;
  if (asked.kind === 'path') return rule.nonResourceURLs?.some((url) => urlMatches(url, asked.path)) === true;
  if (!includes(rule.apiGroups, asked.group)) return false;
  const { resource, subresource } = asked;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  if (!resourceMatches(rule.resources, combined, subresource)) return false;
  const names = rule.resourceNames;
  return !names || names.length === 0 || names.includes(asked.name);
}
