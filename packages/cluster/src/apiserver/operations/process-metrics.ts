import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Metric, Sample } from './text-format.ts';

const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);

function openFiles(): readonly Sample[] {
  try {
    return [{ value: readdirSync('/proc/self/fd').length }];
  } catch {
    // Only Linux tells.
    return [];
  }
}

/** Memory, processor and event loop of this process. The delay of the loop is measured from one reading to the next. */
export class ProcessMetrics {
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  readonly #started = (performance.timeOrigin / 1000) | 0;

  metrics(): readonly Metric[] {
    const gauge = (name: string, help: string, value: number): Metric => ({
      name,
      help,
      type: 'gauge',
      samples: [{ value }],
    });
    const { rss, external } = process.memoryUsage();
    const heap = getHeapStatistics();
    const { user, system } = process.cpuUsage();
    return [
      {
        name: 'process_cpu_seconds_total',
        help: 'Processor time used, in seconds.',
        type: 'counter',
        samples: [{ value: (user + system) / 1e6 }],
      },
      gauge('process_resident_memory_bytes', 'Resident memory, in bytes.', rss),
      gauge('process_start_time_seconds', 'When the process started, in seconds since the epoch.', this.#started),
      { name: 'process_open_fds', help: 'Open file descriptors.', type: 'gauge', samples: openFiles() },
      gauge('nodejs_heap_size_total_bytes', 'Size of the heap, in bytes.', heap.total_heap_size),
      gauge('nodejs_heap_size_used_bytes', 'Used part of the heap, in bytes.', heap.used_heap_size),
      gauge('nodejs_heap_size_limit_bytes', 'What the heap may grow to, in bytes.', heap.heap_size_limit),
      gauge('nodejs_external_memory_bytes', 'Memory outside the heap, in bytes.', external),
      ...this.#eventLoop(gauge),
    ];
  }

  stop(): void {
    this.#delay?.disable();
  }

  /** Nobody pays for the measuring before somebody asks; the first reading is empty. */
  #eventLoop(gauge: (name: string, help: string, value: number) => Metric): readonly Metric[] {
    if (!this.#delay) {
      this.#delay = monitorEventLoopDelay({ resolution: 20 });
      this.#delay.enable();
    }
    const delay = this.#delay;
    const read = [
      gauge('nodejs_eventloop_lag_mean_seconds', 'Mean delay of the event loop, in seconds.', seconds(delay.mean)),
      gauge('nodejs_eventloop_lag_max_seconds', 'Longest delay of the event loop, in seconds.', seconds(delay.max)),
      gauge('nodejs_eventloop_lag_p50_seconds', 'Median delay, in seconds.', seconds(delay.percentile(50))),
      gauge(
        'nodejs_eventloop_lag_p99_seconds',
        '99th percentile of the delay, in seconds.',
        seconds(delay.percentile(99)),
      ),
    ];
    delay.reset();
    return read;
  }
}
