import type { Clock } from '@coxswain/runtime/core';
import { attributesOf } from '../authorization/index.ts';
import { parseResourcePath } from '../request/path.ts';
import type { ApiRequest, ApiResponse, Registry, ResourceInfo, WatchStream } from '../types.ts';
import { Series, type SeriesLabels } from './series.ts';
import type { Labels, Metric, Sample } from './text-format.ts';

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Verbs that are counted under their own name, not that of the method. */
const ownVerbs = new Set(['list', 'watch', 'deletecollection']);

const unknown = { group: '', version: '', resource: '', subresource: '', scope: '' } as const;

/** Counts and times what passes through a server, under the names of the real one. */
export class RequestMetrics {
  readonly #clock: Clock;
  readonly #series = new Map<string, Series>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The handler of a server that serves what is in `registry`, counted. */
  around(handle: Handle, registry: Registry): Handle {
    return async (request) => {
      const start = this.#clock.monotonic();
      const series = this.#seriesOf(request, registry);
      try {
        const answer = await handle(request);
        if (answer.kind === 'watch') return { ...answer, stream: this.#counted(answer.stream, series, start) };
        series.answered(answer.code, this.#clock.monotonic() - start);
        if (answer.kind !== 'object' || !series.isRead) return answer;
        // Not a copy: some bodies are made only when they are asked for.
        return Object.create(answer, { onSent: { value: (bytes: number) => series.sent(bytes) } }) as ApiResponse;
      } catch (error) {
        series.aborted++;
        throw error;
      }
    };
  }

  /** Watches that are open now. */
  get watches(): number {
    let sum = 0;
    for (const { open } of this.#series.values()) sum += open;
    return sum;
  }

  metrics(): readonly Metric[] {
    const all = [...this.#series.values()];
    const each = (pick: (series: Series) => Iterable<Sample>) => all.flatMap((series) => [...pick(series)]);
    const one = (labels: Labels, value: number): Sample[] => (value === 0 ? [] : [{ labels, value }]);
    return [
      {
        name: 'apiserver_request_total',
        help: 'Requests answered, by verb, dry run, resource, scope and response code.',
        type: 'counter',
        samples: each((series) => series.codeSamples()),
      },
      {
        name: 'apiserver_request_duration_seconds',
        help: 'How long requests took until they were answered; for watches, until they ended.',
        type: 'histogram',
        samples: each((series) => series.durationSamples()),
      },
      {
        name: 'apiserver_response_sizes',
        help: 'Bytes of the answers to reads, as they were sent.',
        type: 'histogram',
        samples: each((series) => series.sizeSamples()),
      },
      {
        name: 'apiserver_request_aborts_total',
        help: 'Requests that ended without an answer.',
        type: 'counter',
        samples: each((series) => one(series.plainLabels, series.aborted)),
      },
      {
        name: 'apiserver_longrunning_requests',
        help: 'Watches that are open now.',
        type: 'gauge',
        samples: each((series) =>
          series.watched ? [{ labels: { ...series.plainLabels, component: 'apiserver' }, value: series.open }] : [],
        ),
      },
      {
        name: 'apiserver_watch_events_total',
        help: 'Events told to watches.',
        type: 'counter',
        samples: each((series) => {
          const { group = '', version = '', resource = '' } = series.plainLabels;
          return one({ group, version, resource }, series.events);
        }),
      },
    ];
  }

  #seriesOf(request: ApiRequest, registry: Registry): Series {
    const labels = labelsOf(request, registry);
    const { verb, dry_run: dryRun, group, version, resource, subresource, scope } = labels;
    const key = `${verb}|${dryRun}|${group}/${version}/${resource}/${subresource}|${scope}`;
    let series = this.#series.get(key);
    if (!series) {
      series = new Series(labels);
      this.#series.set(key, series);
    }
    return series;
  }

  #counted(inner: WatchStream, series: Series, start: number): WatchStream {
    series.open++;
    series.watched = true;
    let over = false;
    const finish = () => {
      if (over) return;
      over = true;
      series.open--;
      series.answered(200, this.#clock.monotonic() - start);
    };
    return {
      start(onEvents, onEnd) {
        inner.start(
          (events) => {
            series.events += events.length;
            onEvents(events);
          },
          () => {
            finish();
            onEnd();
          },
        );
      },
      cancel() {
        finish();
        inner.cancel();
      },
    };
  }
}

function knownSubresource(info: ResourceInfo, name: string): string {
  const known =
    (name === 'status' && info.status) ||
    (name === 'scale' && info.scale) ||
    info.subresources?.some((each) => each.name === name);
  return known ? name : '';
}

/** Only what is served has labels of its own: clients cannot make up series without end. */
function labelsOf(request: ApiRequest, registry: Registry): SeriesLabels {
  const dry_run = request.query?.['dryRun'] === 'All' ? 'All' : '';
  const path = parseResourcePath(request.path);
  const info = path && registry.find(path.group, path.version, path.plural);
  if (!info) return { verb: request.method as string, dry_run, ...unknown };
  const special = path.name === '' || path.watch ? attributesOf(request).verb : '';
  const method = request.contentType?.startsWith('application/apply-patch') ? 'APPLY' : request.method;
  const verb = ownVerbs.has(special) ? special.toUpperCase() : method;
  const scope = path.name !== '' ? 'resource' : path.namespace !== '' ? 'namespace' : 'cluster';
  const { group, version, plural: resource } = path;
  return { verb, dry_run, group, version, resource, subresource: knownSubresource(info, path.subresource), scope };
}
