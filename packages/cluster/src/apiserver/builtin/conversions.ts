import type { Conversion } from '../types.ts';
import { autoscalerV1Conversion } from './autoscaling/autoscaler-v1-conversion.ts';
import { eventsConversion } from './core/events-conversion.ts';

/** Versions whose form is not the stored one, by `group/version/plural`. */
export const conversions: Readonly<Record<string, Conversion>> = {
  'events.k8s.io/v1/events': eventsConversion,
  'autoscaling/v1/horizontalpodautoscalers': autoscalerV1Conversion,
};
