import type { Condition, KubeObject } from '@coxswain/k8s';
import type { ConditionInput } from '../apply/index.ts';
import { checkOptions, optionNames } from '../core/index.ts';
import { shortList } from './short-list.ts';
import type { ActorContext } from './types.ts';

/** What one part says; its message stands by itself. */
export type SummaryPart = Pick<ConditionInput, 'status' | 'reason' | 'message'>;

/** From the worst to the best. */
const ranks: readonly Condition['status'][] = ['False', 'Unknown', 'True'];

/**
 * What several parts say together: False when one is False, else Unknown when one is Unknown, else True. The reason is that of the
 * first of the worst, the message those of all that are as bad.
 * @param parts the most important first
 * @param good what is said when all are True, and of no parts
 */
export function summaryOf(
  parts: readonly SummaryPart[],
  good: Pick<SummaryPart, 'reason' | 'message'>,
): Required<SummaryPart> {
  const status = ranks.find((rank) => parts.some((part) => part.status === rank)) ?? 'True';
  if (status === 'True') return { status, reason: good.reason, message: good.message ?? '' };
  const worst = parts.filter((part) => part.status === status);
  const messages = worst.flatMap(({ message }) => (message ? [message] : []));
  return { status, reason: worst[0]?.reason ?? '', message: shortList(messages, '; ') };
}

/** Which conditions are made one. */
export interface SummaryOptions {
  /** Types of the parts, the most important first. One that is missing, or speaks of an older generation, is Unknown. */
  readonly of: readonly string[];
  /** Types of those parts that are good when False, such as `Degraded`. Default: none. */
  readonly negative?: readonly string[];
  /** The condition that is made. Default `Ready`. */
  readonly type?: string;
}

const names = optionNames<SummaryOptions>({ of: true, negative: true, type: true });

/**
 * Sets one condition of an object out of others that it has, by {@link summaryOf}; messages begin with the type of their part. Call it
 * when the parts of this pass are set.
 * @throws TypeError for an option that is not known
 */
export function summarize<T extends KubeObject>(
  { object, conditions }: Pick<ActorContext<T>, 'object' | 'conditions'>,
  options: SummaryOptions,
): void {
  checkOptions('summarize', options, names);
  const { of, negative = [], type = 'Ready' } = options;
  const parts = of.map((part) => partOf(part, conditions.get(part), negative.includes(part), object));
  const good = { reason: type, message: `${of.join(', ')}: all as they should be` };
  const { status, reason, message } = summaryOf(parts, good);
  conditions.set(type, status, reason, message);
}

function partOf(
  type: string,
  condition: Condition | undefined,
  negative: boolean,
  { metadata }: KubeObject,
): SummaryPart {
  if (!condition) return { status: 'Unknown', reason: 'NotReported', message: `${type}: not reported yet` };
  const { status, reason, message, observedGeneration: seen } = condition;
  const { generation } = metadata;
  if (seen !== undefined && generation !== undefined && seen < generation) {
    const told = `${type}: reported for generation ${seen}, not yet for ${generation}`;
    return { status: 'Unknown', reason: 'Outdated', message: told };
  }
  const told = message ? `${type}: ${message}` : `${type}: ${reason}`;
  return { status: negative ? opposite[status] : status, reason, message: told };
}

const opposite = { True: 'False', False: 'True', Unknown: 'Unknown' } as const;
