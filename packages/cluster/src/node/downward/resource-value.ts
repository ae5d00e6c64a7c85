import type { Container, Pod, ResourceFieldSelector } from '@coxswain/k8s';
import { parseQuantity, quantityMilliValue, quantityValue } from '@coxswain/runtime/core';
import type { AnyContainer } from '../runtime.ts';
import { FieldError } from './errors.ts';

type Quantities = Readonly<Record<string, string>>;

/** Resources without a limit of their own are limited by what the node has. */
const limitedByNode = new Set(['cpu', 'memory', 'ephemeral-storage']);

function containerNamed(pod: Pod, name: string): Container {
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const found = all.find((container) => container.name === name);
  if (!found) throw new FieldError(`container ${name} not found`);
  return found;
}

function isZero(quantity: string | undefined): boolean {
  return quantity === undefined || parseQuantity(quantity).nano === 0n;
}

/**
 * A limit or request of a container, divided by the selector's divisor (1 when absent or zero) and rounded up.
 * @param own the container whose environment it is for; the selector may name another of the pod
 * @param allocatable what the node has, in place of limits that are not set
 * @throws FieldError when there is no such container or resource
 */
export function resourceValue(
  { containerName, resource, divisor }: ResourceFieldSelector,
  { pod, own, allocatable = {} }: { readonly pod: Pod; readonly own?: AnyContainer; readonly allocatable?: Quantities },
): string {
  const { resources } = containerName || !own ? containerNamed(pod, containerName ?? '') : own;
  const [, group, name = ''] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.exec(resource) ?? [];
  if (!group) throw new FieldError(`unsupported container resource : ${resource}`);
  const set = group === 'limits' ? resources?.limits?.[name] : resources?.requests?.[name];
  const text = group === 'limits' && limitedByNode.has(name) && isZero(set) ? (allocatable[name] ?? '0') : (set ?? '0');
  const unit = divisor === undefined || isZero(divisor) ? '1' : divisor;
  const amount = name === 'cpu' ? quantityMilliValue : quantityValue;
  const [value, by] = [amount(parseQuantity(text)), amount(parseQuantity(unit))];
  return ((value + by - 1n) / by).toString();
}
