import type { Method } from '@coxswain/runtime/client';

/** A verb on a resource, as authorization rules and discovery name it. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The verb of a request: what the method means on a collection or on one object. */
export function verbOf(method: Method, named: boolean, watch: boolean): Verb | undefined {
  switch (method) {
    case 'GET':
      if (watch) return 'watch';
      return named ? 'get' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return named ? 'update' : undefined;
    case 'PATCH':
      return named ? 'patch' : undefined;
    case 'DELETE':
      return named ? 'delete' : 'deletecollection';
    default:
      return undefined;
  }
}
