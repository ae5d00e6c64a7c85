import type { MutableJson } from '@coxswain/k8s';
import { writeOptions } from '../request/query.ts';
import type { ApiResponse, SubresourceHandler } from '../types.ts';
import { admission } from './admission.ts';
import { draftOf, isObject } from './clone.ts';
import { type Call, strategyContext } from './context.ts';
import { removeWith } from './delete.ts';
import { reply } from './projection.ts';
import { existing } from './read.ts';
import { typedBody } from './typed-body.ts';
import { amendObject, changeObject } from './update.ts';

/** What is posted to a subresource goes through admission as an object of its own; what follows from it does not again. */
async function admit(call: Call, dryRun: boolean): Promise<Call> {
  const given = call.resource.subresources?.find((one) => one.name === call.subresource);
  const { group, version, kind } = { ...call.resource, ...given };
  const type = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
  const object: MutableJson = { ...type, ...draftOf(typedBody(call.request, { group, ...type })) };
  const metadata = isObject(object.metadata) ? object.metadata : {};
  object.metadata = { name: call.name, ...metadata, namespace: call.namespace };
  const write = { operation: 'CREATE', name: call.name, object, options: { ...call.query }, dryRun } as const;
  for (const phase of ['admit', 'validate'] as const) {
    const pending = admission(call, phase, write);
    if (pending) await pending;
  }
  return { ...call, request: { ...call.request, body: object }, admitted: true };
}

/** Runs a registered handler with the operations it may use. */
export async function callHandler(given: Call, handler: SubresourceHandler): Promise<ApiResponse> {
  const options = writeOptions(given.query, given.request.method === 'POST' ? 'CreateOptions' : 'UpdateOptions');
  const call = given.request.method === 'POST' ? await admit(given, options.dryRun) : given;
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
