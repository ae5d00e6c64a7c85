import type { LabelSelector } from '@coxswain/k8s';

/** A selector as Kubernetes' own controllers print it in events. */
export function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const written = `map[string]string{${labels.join('')}}`;
  return `&LabelSelector{MatchLabels:${written},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
