/**
 * The number behind a field such as `maxSurge`: itself, or a percentage of `total`.
 * @param round which way a fraction goes
 */
export function intOrPercent(
  value: number | string | undefined,
  total: number,
  round: 'up' | 'down',
  fallback: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number') return value;
  if (!value.endsWith('%')) return Number(value);
  const exact = (Number(value.slice(0, -1)) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
