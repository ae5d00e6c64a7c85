import type { NonResourceRoute, Registry } from '../types.ts';
import { answerWith, LazyDocument } from './answer.ts';
import { hashOf } from './hash.ts';
import { openApiV2Document } from './v2-document.ts';

const v2Path = '/openapi/v2';

/**
 * `/openapi/v2`: everything that is served in one document, live from the registry, as JSON and as protobuf. It is made when it is
 * asked for, and not kept.
 */
export function openApiV2Route(registry: Registry): NonResourceRoute {
  let cached: { readonly generation: number; readonly document: LazyDocument } | undefined;
  return {
    match: (path) => path === v2Path,
    handle(request) {
      if (cached?.generation !== registry.generation) {
        const document = new LazyDocument(hashOf(v2Path, registry.all()), () => openApiV2Document(registry));
        cached = { generation: registry.generation, document };
      }
      return answerWith(request, cached.document, {
        version: 'v2',
        encode: async () => (await import('./v2-protobuf.ts')).v2Protobuf,
        headers: { 'Cache-Control': 'no-cache, private', Vary: 'Accept-Encoding, Accept' },
      });
    },
  };
}
