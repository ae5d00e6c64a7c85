import type { KubeObject, Status } from '@coxswain/k8s';
import { initialEventsEnd, type WatchEvent } from '../client/index.ts';
import { ApiError } from '../core/index.ts';
import type { WatchSink } from './watcher.ts';

/** Sorts the events of one stream into the sink. */
export class StreamReader<T extends KubeObject> {
  readonly #sink: WatchSink<T>;
  /** Whether the sink has a full state. */
  complete: boolean;
  /** Whether anything came after that. */
  progressed = false;
  /** Whether a bookmark came after that. */
  bookmarked = false;
  /** Objects in the last batch; bookmarks do not count. */
  takenLast = 0;

  constructor(sink: WatchSink<T>, listing: boolean) {
    this.#sink = sink;
    this.complete = !listing;
  }

  /** @returns false when everything must be listed again @throws ApiError that the stream carried */
  take(events: readonly WatchEvent<T>[]): boolean {
    this.takenLast = 0;
    for (const event of events) {
      if (event.type === 'ERROR') throw new ApiError(normalStatus(event.object));
      if (event.type === 'BOOKMARK') {
        if (!this.#bookmark(event.object)) return false;
        continue;
      }
      this.takenLast++;
      if (event.type === 'DELETED') this.#sink.removed(event.object);
      else if (this.complete) this.#sink.changed(event.object);
      else this.#sink.listed(event.object);
      this.progressed ||= this.complete;
    }
    return true;
  }

  #bookmark(object: KubeObject): boolean {
    const { resourceVersion = '', annotations } = object.metadata;
    if (this.complete) {
      this.progressed = true;
      this.bookmarked = true;
      return this.#sink.bookmark(resourceVersion);
    }
    if (annotations?.[initialEventsEnd] !== 'true') return true;
    this.complete = true;
    return this.#sink.endListing(resourceVersion);
  }
}

/** Some servers send the status of an ERROR event without a code. */
function normalStatus(status: Status): Status {
  return status.code
    ? status
    : { ...status, code: status.reason === 'Expired' || status.reason === 'Gone' ? 410 : 500 };
}
