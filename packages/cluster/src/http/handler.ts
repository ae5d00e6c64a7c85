import type { ApiRequest, ApiResponse } from '../apiserver/types.ts';

/** The API server as a function. Rejects with `ApiError` when it refuses; anything else it throws is a fault of the server. */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;
