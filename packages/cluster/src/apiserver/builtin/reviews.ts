import type { MutableJson } from '@coxswain/k8s';
import { accessReviews, alwaysAllow } from '../authorization/index.ts';
import type { StrategyContext } from '../types.ts';

/** Kinds that are questions: a POST is answered, nothing is stored. By `group/plural`. */
export type ReviewAnswers = Readonly<Record<string, (draft: MutableJson, context: StrategyContext) => MutableJson>>;

/** The answers of a server that lets everybody do everything. */
export const openReviews: ReviewAnswers = accessReviews(alwaysAllow);
