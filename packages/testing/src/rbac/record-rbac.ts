import type { Transport, TransportRequest, TransportResponse } from '@coxswain/runtime/client';
import { type RequestMeaning, requestMeaning } from '../requests/index.ts';

/** Something that was asked for, as a role has to allow it. */
export type RbacUse = Pick<RequestMeaning, 'verb' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name'> & {
  /** Set for a path that is no resource: `/version`. */
  readonly path?: string;
};

/** A transport that remembers what it was asked. */
export interface RbacRecorder {
  /** Give it to `world.manager({ transport })`, or to a client. */
  readonly transport: Transport;
  /** Each use once, in the order in which they were first made. */
  readonly uses: readonly RbacUse[];
}

/**
 * Records all that passes through a transport, whether the server allowed it or not. A server-side apply counts as `patch`, and as
 * `create` too when it made the object, as the API server has it.
 */
export function recordRbac(transport: Transport): RbacRecorder {
  const uses = new Map<string, RbacUse>();
  const note = ({ method, path, query }: TransportRequest, verb?: string) => {
    const meaning = requestMeaning(method, path, query);
    const { group, resource, subresource, namespace, name } = meaning;
    const use = { verb: verb ?? meaning.verb, group, resource, subresource, namespace, name };
    const noted = meaning.isResource ? use : { ...use, path };
    uses.set(JSON.stringify(noted), noted);
  };
  return {
    transport: {
      async send(request): Promise<TransportResponse> {
        note(request);
        const answer = await transport.send(request);
        if (request.method === 'PATCH' && answer.status === 201) note(request, 'create');
        return answer;
      },
      watch(request) {
        note(request);
        return transport.watch(request);
      },
      close: () => transport.close(),
    },
    get uses() {
      return [...uses.values()];
    },
  };
}
