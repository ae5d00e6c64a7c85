import { writeOptions } from '../request/query.ts';
import type { ApiResponse, SubresourceHandler } from '../types.ts';
import { draftOf } from './clone.ts';
import { type Call, strategyContext } from './context.ts';
import { removeWith } from './delete.ts';
import { reply } from './projection.ts';
import { existing } from './read.ts';
import { amendObject, changeObject } from './update.ts';

/** Runs a registered handler with the operations it may use. */
export async function callHandler(call: Call, handler: SubresourceHandler): Promise<ApiResponse> {
  const options = writeOptions(call.query, call.request.method === 'POST' ? 'CreateOptions' : 'UpdateOptions');
  const answer = await handler.handle({
    request: call.request,
    resource: call.resource,
    namespace: call.namespace,
    name: call.name,
    rest: call.path.rest,
    context: strategyContext(call, options.dryRun),
    operations: {
      get: () => existing(call),
      async update(change) {
        const changed = await changeObject(call, {
          create: false,
          applied: false,
          options,
          draft(old) {
            const live = old ?? existing(call);
            const draft = draftOf(live);
            change(draft, live);
            return draft;
          },
        });
        return changed.object;
      },
      amend: (change) => amendObject(call, options.dryRun, change),
      remove: (deleteOptions) => removeWith(call, deleteOptions),
    },
  });
  return answer.kind === 'object' && call.warnings.length > 0 ? { ...reply(call, answer.body, answer.code) } : answer;
}
