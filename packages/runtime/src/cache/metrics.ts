import { type Kind, resourceName } from '@coxswain/k8s';
import type { Clock } from '../core/index.ts';
import type { Counter, Gauge, MetricsRegistry } from '../metrics/index.ts';
import type { InformerCounts, InformerObserver } from './health.ts';

/** An observer that is taken off when its informer stops. */
export interface InformerMetrics extends InformerObserver {
  stop(): void;
}

/** The gauge is set no more often, in milliseconds: events may come by the thousand. */
const contactEvery = 1_000;

/**
 * Reports informers as `coxswain_informer_*`, with the label `kind` (`deployments.apps`). Informers of one kind are one
 * series: counts are added up, and the last contact is that of the one that has been without for the longest.
 */
export class CacheMetrics {
  readonly #clock: Clock;
  readonly #counters: Readonly<Record<keyof InformerCounts, Counter>>;
  readonly #contact: Gauge;
  /** By kind, the last contact of each informer. */
  readonly #contacts = new Map<string, Map<InformerMetrics, number>>();

  constructor(registry: MetricsRegistry, clock: Clock) {
    const labels = ['kind'];
    const counter = (name: string, help: string) =>
      registry.counter({ name: `coxswain_informer_${name}_total`, help, labels });
    this.#clock = clock;
    this.#counters = {
      relists: counter('relists', 'Full listings after the first'),
      watches: counter('watches', 'Watches opened'),
      events: counter('events', 'Objects brought by listings and watches'),
      restarts: counter('restarts', 'Times an informer began again after a failure, silence or an early end'),
    };
    this.#contact = registry.gauge({
      name: 'coxswain_informer_last_contact_timestamp_seconds',
      help: 'When the server was last heard of: an event, a bookmark or an answered probe; the oldest of a kind',
      labels,
    });
  }

  observe(kind: Kind): InformerMetrics {
    const labels = { kind: resourceName(kind) };
    const contacts = this.#contacts.get(labels.kind) ?? new Map<InformerMetrics, number>();
    this.#contacts.set(labels.kind, contacts);
    let told = Number.NEGATIVE_INFINITY;
    const metrics: InformerMetrics = {
      contact: () => {
        const now = this.#clock.now();
        contacts.set(metrics, now);
        if (now - told < contactEvery) return;
        told = now;
        this.#contact.set(labels, Math.min(...contacts.values()) / 1000);
      },
      counted: (what, by) => this.#counters[what].inc(labels, by),
      stop: () => contacts.delete(metrics),
    };
    contacts.set(metrics, this.#clock.now());
    return metrics;
  }
}
