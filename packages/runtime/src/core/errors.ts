import type { Status, StatusCause, StatusDetails } from '@coxswain/k8s';

/**
 * What an API server answered instead of the object. Thrown by clients and, inside the embedded server, by handlers,
 * so that one class describes a failure on both sides of the wire.
 */
export class ApiError extends Error {
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? `HTTP ${status.code}`, options);
    this.name = 'ApiError';
    this.status = status;
  }

  /** HTTP status code. */
  get code(): number {
    return this.status.code;
  }

  /** Machine-readable reason such as `NotFound`; `''` when the server gave none. */
  get reason(): string {
    return this.status.reason ?? '';
  }

  get details(): StatusDetails {
    return this.status.details ?? {};
  }

  /** How long the server asks to wait before trying again, in milliseconds. */
  get retryAfter(): number | undefined {
    const seconds = this.status.details?.retryAfterSeconds;
    return seconds === undefined ? undefined : seconds * 1000;
  }
}

/** Builds an {@link ApiError} from its parts. */
export function apiError(code: number, reason: string, message: string, details?: StatusDetails): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details ? { details } : {}),
    code,
  });
}

/** What a resource is called in errors: its plural and group. */
export interface ResourceRef {
  readonly group: string;
  readonly plural: string;
}

function quoted(resource: ResourceRef, name: string): string {
  return resource.group === '' ? `${resource.plural} "${name}"` : `${resource.plural}.${resource.group} "${name}"`;
}

function detailsOf(resource: ResourceRef, name: string, causes?: readonly StatusCause[]): StatusDetails {
  return {
    name,
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(causes ? { causes } : {}),
  };
}

/** 404 `NotFound`, worded as the API server words it. */
export function notFound(resource: ResourceRef, name: string): ApiError {
  return apiError(404, 'NotFound', `${quoted(resource, name)} not found`, detailsOf(resource, name));
}

/** 409 `AlreadyExists`, worded as the API server words it. */
export function alreadyExists(resource: ResourceRef, name: string): ApiError {
  return apiError(409, 'AlreadyExists', `${quoted(resource, name)} already exists`, detailsOf(resource, name));
}

/** 409 `Conflict`, worded as the API server words it. */
export function conflict(resource: ResourceRef, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${quoted(resource, name)}: ${why}`;
  return apiError(409, 'Conflict', message, detailsOf(resource, name));
}

/** 400 `BadRequest` with this message. */
export function badRequest(message: string): ApiError {
  return apiError(400, 'BadRequest', message);
}

/** 403 `Forbidden`, worded as the API server words it. */
export function forbidden(resource: ResourceRef, name: string, why: string, causes?: readonly StatusCause[]): ApiError {
  const message = `${quoted(resource, name)} is forbidden: ${why}`;
  return apiError(403, 'Forbidden', message, detailsOf(resource, name, causes));
}

/** 410 Expired: the resource version or continue token is too old; list again. */
export function expired(message: string): ApiError {
  return apiError(410, 'Expired', message);
}

/**
 * 422 Invalid for a kind. `group`/`kind` name the *kind* here, not the plural, as the real server does.
 * Each cause's message is the text after the field.
 */
export function invalid(group: string, kind: string, name: string, causes: readonly StatusCause[]): ApiError {
  const text = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = text.length === 1 ? text[0] : `[${text.join(', ')}]`;
  const qualified = group === '' ? kind : `${kind}.${group}`;
  return apiError(422, 'Invalid', `${qualified} "${name}" is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes,
  });
}

function hasReason(error: unknown, reason: string): boolean {
  return error instanceof ApiError && error.reason === reason;
}

/** An `ApiError` with the reason `NotFound`: the object is not there, or its kind is not served. */
export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');
/** An `ApiError` with the reason `AlreadyExists`: the name is taken. */
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
/** An `ApiError` with the reason `Conflict`: somebody else wrote first, or owns the field. */
export const isConflict = (error: unknown): boolean => hasReason(error, 'Conflict');
/** An `ApiError` with the reason `Invalid` (422): `details.causes` names the fields. */
export const isInvalid = (error: unknown): boolean => hasReason(error, 'Invalid');
/** An `ApiError` with the reason `Forbidden`: by permissions, quota or admission. */
export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden');
/** 410 in any of its forms: `Expired` or `Gone`. */
export const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 410;
/** An `ApiError` with the code 429: the server, or a disruption budget, asks to wait. */
export const isTooManyRequests = (error: unknown): boolean => error instanceof ApiError && error.code === 429;
