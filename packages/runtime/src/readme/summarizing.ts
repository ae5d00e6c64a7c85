import { type ActorContext, summarize } from '@coxswain/runtime/actor';
import type { Site } from './kinds.ts';

export function tell(context: ActorContext<Site>, stored: boolean, served: boolean): void {
  const { conditions } = context;
  conditions.set('Stored', stored ? 'True' : 'False', stored ? 'Stored' : 'NoVolume');
  conditions.set('Served', served ? 'True' : 'False', served ? 'Served' : 'NoPods');
  summarize(context, { of: ['Stored', 'Served', 'Degraded'], negative: ['Degraded'] }); // sets Ready
}
