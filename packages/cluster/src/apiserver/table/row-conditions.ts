import type { DynamicObject } from '@coxswain/k8s';
import { textAt } from '../builtin/shared/draft.ts';
import type { ResourceInfo } from '../types.ts';
import { statusOf } from './cells.ts';

const completed = (reason: string, message: string) => [{ type: 'Completed', status: 'True', reason, message }];

const ended: Readonly<Record<string, readonly object[] | undefined>> = {
  Succeeded: completed('Succeeded', 'The pod has completed successfully.'),
  Failed: completed('Failed', 'The pod failed.'),
};

/** What a row tells beside its cells: pods that have ended, which clients may leave out. */
export function rowConditions({ builtIn, group, plural }: ResourceInfo, object: DynamicObject): readonly object[] {
  if (!builtIn || group !== '' || plural !== 'pods') return [];
  return ended[textAt(statusOf(object), 'phase')] ?? [];
}
