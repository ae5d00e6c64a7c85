import type { Taint, Toleration } from '@coxswain/k8s';

const integer = /^[+-]?\d+$/;

function compares(operator: string, value: string, wanted: string): boolean {
  if (!integer.test(value) || !integer.test(wanted)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(wanted) : BigInt(value) < BigInt(wanted);
}

/** Whether a toleration covers a taint. An empty key with `Exists` covers every taint, an empty effect every effect. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  const operator = toleration.operator || 'Equal';
  if (operator === 'Exists') return true;
  if (operator === 'Gt' || operator === 'Lt') return compares(operator, taint.value ?? '', toleration.value ?? '');
  return operator === 'Equal' && (toleration.value ?? '') === (taint.value ?? '');
}

export function tolerated(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return tolerations?.some((toleration) => tolerates(toleration, taint)) ?? false;
}
