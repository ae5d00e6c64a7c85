import type { KubeList, KubeObject } from '@coxswain/k8s';
import { BracketScanner } from './bracket-scanner.ts';
import { checkList } from './check-list.ts';
import { ConnectionError } from './errors.ts';
import { listEnd } from './list-end.ts';
import { type Holder, parseWithoutManagedFields } from './managed-fields.ts';
import { parseJson } from './parse-json.ts';
import type { KeepManagedFields, WatchEvent } from './transport.ts';

const openBracket = 0x5b;

/** What is open where one item ends and the next begins: the list and its array. */
const betweenItems = 2;

/**
 * Cuts the text of a list, as it comes, into the events that a streamed list (WatchList) would have brought: an ADDED for each item and
 * at last the BOOKMARK with the list's version. Holds no more of the text than a chunk and the item that is not complete yet.
 */
export class ListDecoder {
  readonly #keep: KeepManagedFields | undefined;
  readonly #scanner = new BracketScanner(betweenItems);
  /** The list without its items: what else it says may come before or after them. */
  readonly #frame: Buffer[] = [];
  /** Parts of it that were looked through for the items: a frame of many arrays is not read anew for each. */
  #looked = 0;
  /** The beginning of an item whose end has not come yet. */
  #rest: Buffer[] = [];
  #inItems = false;
  #done = false;

  /** @param keep takes managed fields, which are then left out of objects */
  constructor(keep?: KeepManagedFields) {
    this.#keep = keep;
  }

  /** The events that this chunk completes. @throws ConnectionError when it is no list */
  push(chunk: Buffer): readonly WatchEvent[] {
    const events: WatchEvent[] = [];
    const scanner = this.#scanner;
    /** Where the part of the chunk begins that nobody has yet, and where the last item in it that is complete ends. */
    let [start, complete] = [0, 0];
    for (let at = scanner.next(chunk, 0); at >= 0 && !this.#done; at = scanner.next(chunk, at)) {
      if (this.#inItems && scanner.depth === betweenItems) {
        complete = at;
      } else if (this.#inItems) {
        this.#take(chunk.subarray(start, at - 1), events);
        this.#inItems = false;
        start = at - 1;
      } else if (scanner.depth === betweenItems && chunk[at - 1] === openBracket) {
        this.#frame.push(chunk.subarray(start, at));
        this.#inItems = /"items"\s*:\s*\[$/.test(textOf(this.#frame.slice(this.#looked)));
        this.#looked = this.#frame.length;
        start = complete = at;
      } else if (scanner.depth === 0) {
        this.#frame.push(chunk.subarray(start, at));
        this.#done = true;
        events.push(bookmarkOf(textOf(this.#frame)));
      }
    }
    if (this.#done) return events;
    if (complete > start) this.#take(chunk.subarray(start, complete), events);
    (this.#inItems ? this.#rest : this.#frame).push(chunk.subarray(Math.max(start, complete)));
    return events;
  }

  /** The stream is over. @throws ConnectionError when the list was not */
  end(): void {
    if (!this.#done) throw new ConnectionError('the list broke off before its end');
  }

  /** Items that are complete, with the commas between them and before the first. */
  #take(part: Buffer, events: WatchEvent[]): void {
    const text = textOf([...this.#rest, part]).trim();
    this.#rest = [];
    if (text === '') return;
    for (const object of this.#parsed(`[${text.startsWith(',') ? text.slice(1) : text}]`)) {
      events.push({ type: 'ADDED', object });
    }
  }

  #parsed(text: string): readonly KubeObject[] {
    const itself = (items: readonly KubeObject[]): readonly Holder[] => items;
    const items = (this.#keep && parseWithoutManagedFields(text, itself, this.#keep)) ?? parsed<KubeObject[]>(text);
    for (const item of items)
      if (typeof item?.metadata !== 'object') throw new ConnectionError('an item of the list is no object');
    return items;
  }
}

function textOf(parts: readonly Buffer[]): string {
  const [only] = parts;
  return (parts.length === 1 && only ? only : Buffer.concat(parts)).toString('utf8');
}

function parsed<T>(text: string): T {
  try {
    return parseJson(text) as T;
  } catch (cause) {
    throw new ConnectionError('the list is not JSON', { cause });
  }
}

/** Tells that the list is complete, and of which version it is. */
function bookmarkOf(frame: string): WatchEvent {
  const list = parsed<Partial<KubeList> | null>(frame);
  checkList(list);
  const metadata = list?.metadata;
  if (!metadata?.resourceVersion) throw new ConnectionError('what came as a list has no version');
  if (metadata.continue) throw new ConnectionError('the list came by pages, which were not asked for');
  return listEnd(metadata.resourceVersion);
}
