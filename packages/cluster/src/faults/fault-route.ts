import { apiError, badRequest } from '@coxswain/runtime/core';
import type { ApiRequest, ApiResponse, NonResourceRoute } from '../apiserver/types.ts';
import type { FaultHandle, FaultRule, Faults } from './types.ts';

export interface CompactOptions {
  /** Forgets the past; answers the revision that is now the oldest. */
  compactNow(): number;
}

const root = '/_coxswain/';
const faultPath = /^\/_coxswain\/faults(?:\/(\d+))?$/;

const told = ({ id, rule, counts }: FaultHandle) => ({ id, rule, counts });
const answer = (body: unknown, code = 200): ApiResponse => ({ kind: 'object', code, body });

function onFaults(faults: Faults, request: ApiRequest, id: string | undefined): ApiResponse {
  const rule = id === undefined ? undefined : faults.list().find((each) => each.id === id);
  if (id !== undefined && !rule) throw apiError(404, 'NotFound', `there is no fault rule ${id}`);
  switch (request.method) {
    case 'GET':
      return answer(rule ? told(rule) : { items: faults.list().map(told) });
    case 'DELETE':
      if (!rule) return answer({ removed: faults.clear() });
      rule.remove();
      return answer({ removed: 1 });
    case 'POST':
      if (rule) break;
      if (request.body === undefined) throw badRequest('the fault rule cannot be used: the body is empty');
      return answer(told(faults.add(request.body as FaultRule)), 201);
  }
  throw apiError(405, 'MethodNotAllowed', `${request.method} is not allowed on ${request.path}`);
}

/**
 * The rules for other processes: `GET`, `POST` and `DELETE /_coxswain/faults`, `GET` and `DELETE /_coxswain/faults/ID`, and
 * `POST /_coxswain/compact`. An extension that no other API server has; for members of `system:masters` only.
 */
export function faultRoute(faults: Faults, { compactNow }: CompactOptions): NonResourceRoute {
  return {
    match: (path) => path.startsWith(root),
    handle(request) {
      const { path, method, user } = request;
      if (!user.groups.includes('system:masters'))
        throw apiError(
          403,
          'Forbidden',
          `User "${user.name}" may not use ${path}: it is for members of system:masters`,
        );
      const found = faultPath.exec(path);
      if (found) return onFaults(faults, request, found[1]);
      if (path !== '/_coxswain/compact') throw apiError(404, 'NotFound', `there is no ${path}`);
      if (method !== 'POST') throw apiError(405, 'MethodNotAllowed', `${method} is not allowed on ${path}: POST it`);
      return answer({ revision: compactNow() });
    },
  };
}
