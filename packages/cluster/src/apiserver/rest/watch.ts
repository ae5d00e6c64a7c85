import { expired } from '@coxswain/runtime/core';
import { resourceVersionParameter } from '../request/query.ts';
import type { ApiResponse } from '../types.ts';
import type { Call } from './context.ts';
import { waitForRevision } from './freshness.ts';
import { selectionOf, watchOptions } from './list-options.ts';
import { ObjectWatch, type WatchPlan } from './object-watch.ts';
import { projectorOf } from './projection.ts';

const minute = 60_000;

/** GET of a collection (or of one name) with `watch=true`: all start modes of `spec/embedded.md` §1.6. */
export async function watch(call: Call): Promise<ApiResponse> {
  const { server, query, resource } = call;
  const options = watchOptions(call);
  const projector = projectorOf(call);
  const selection = selectionOf(call);
  const text = resourceVersionParameter(query, 500);
  const version = Number(text ?? 0);
  if (options.initialEvents) await waitForRevision(call, version);
  const timeout = options.timeoutSeconds
    ? Math.max(0, options.timeoutSeconds * 1000)
    : 30 * minute + server.random.next() * 30 * minute;
  const snapshot = options.initialEvents ?? version === 0;
  const plan: WatchPlan = {
    resource,
    selection,
    // A table's rows depend on when and for whom they are made.
    ...(projector.form === 'Table' || projector.old ? {} : { feed: feedKey(call, projector.form) }),
    projector,
    snapshot,
    // `sendInitialEvents=false` without a version means: changes from now on.
    since: version === 0 ? server.storage.revision : version,
    bookmarks: options.bookmarks,
    // Also when nobody asked for initial events and they come for want of a version.
    endMark: snapshot && options.bookmarks,
    timeout,
    refusal:
      !snapshot && version !== 0 && version < server.storage.compacted
        ? tooOld(version, server.storage.compacted)
        : undefined,
  };
  const stream = new ObjectWatch(server, plan, call.request.signal);
  return { kind: 'watch', stream };
}

function feedKey({ query, name }: Call, form: string): string {
  return JSON.stringify([form, name, query.labelSelector ?? '', query.fieldSelector ?? '']);
}

function tooOld(version: number, oldest: number): ReturnType<typeof expired> {
  return expired(`too old resource version: ${version} (${oldest})`);
}
