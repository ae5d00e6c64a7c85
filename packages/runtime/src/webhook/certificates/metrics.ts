import type { MetricsRegistry } from '../../metrics/index.ts';

/** What a certificate source reports. */
export interface CertificateObserver {
  /** The certificate was looked at. */
  read(): void;
  /** That, or what follows from it, failed. */
  failed(): void;
}

/** Reports under controller-runtime's names. */
export function certificateMetrics(registry: MetricsRegistry): CertificateObserver {
  const reads = registry.counter({
    name: 'certwatcher_read_certificate_total',
    help: 'Reads of the serving certificate',
  });
  const errors = registry.counter({
    name: 'certwatcher_read_certificate_errors_total',
    help: 'Reads of the serving certificate that failed',
  });
  reads.inc({}, 0);
  errors.inc({}, 0);
  return { read: () => reads.inc({}), failed: () => errors.inc({}) };
}
