import type { Method } from '@coxswain/runtime/client';
import { connectCases } from './connect-cases.ts';
import { limitCases } from './limit-cases.ts';
import { mutationCases } from './mutation-cases.ts';
import { policyCases } from './policy-cases.ts';
import { quotaCases } from './quota-cases.ts';
import { webhookCases } from './webhook-cases.ts';

/** One request. */
export interface Step {
  readonly method: Method;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly type?: string;
  /** Sets the scene: must succeed, is not recorded, and a server may need time to notice. */
  readonly configures?: boolean;
}

export interface Case {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** What is played against the real server and here. Each case has a namespace of its own. */
export const cases: readonly Case[] = [
  ...limitCases,
  ...quotaCases,
  ...webhookCases,
  ...policyCases,
  ...mutationCases,
  ...connectCases,
];
