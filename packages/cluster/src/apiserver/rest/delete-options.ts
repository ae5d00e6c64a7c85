import { badRequest } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import { isMetaKind } from '../go-types/index.ts';
import { booleanParameter, dryRunErrors, integerParameter, invalidOptions, type Query } from '../request/query.ts';
import { type BodyOfRequest, interpret, notRegistered, readAs, Unrecognized } from './typed-body.ts';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** DeleteOptions, checked. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: Propagation | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
  /** The old `orphanDependents: false` was given: an object that stays is answered with 202. */
  readonly orphanDependentsFalse: boolean;
}

/** As written, of the right types. */
interface RawOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly dryRun?: readonly string[] | undefined;
  readonly preconditions?: { readonly uid?: string | null; readonly resourceVersion?: string | null } | undefined;
}

function fromQuery(query: Query): RawOptions {
  return {
    gracePeriodSeconds: integerParameter(query, 'gracePeriodSeconds'),
    propagationPolicy: query.propagationPolicy || undefined,
    orphanDependents: booleanParameter(query, 'orphanDependents'),
    dryRun: query.dryRun ? [query.dryRun] : undefined,
  };
}

/** The body of a deletion. @throws ApiError BadRequest, in the words of the real server's decoder */
function fromBody(request: BodyOfRequest): RawOptions {
  try {
    const { body, apiVersion, kind } = interpret(request);
    if (kind !== '' && kind !== 'DeleteOptions') {
      const given = apiVersion === '' ? 'v1' : apiVersion;
      const version = given.slice(given.lastIndexOf('/') + 1);
      const foreign = `converting (${version}.${kind}) to (v1.DeleteOptions): unknown conversion`;
      throw badRequest(isMetaKind(kind) ? foreign : notRegistered(given, kind));
    }
    const options = readAs(request, deleteOptionsType, body, badRequest);
    return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
  } catch (error) {
    throw error instanceof Unrecognized ? badRequest(error.message) : error;
  }
}

const deleteOptionsType = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

const policies: readonly string[] = ['Foreground', 'Background', 'Orphan'];

function isPropagation(value: string | undefined): value is Propagation {
  return value !== undefined && policies.includes(value);
}

/**
 * DeleteOptions of a request: the body, or the query when there is none. Negative grace counts as 1 second.
 * @throws ApiError BadRequest, Invalid
 */
export function deleteOptions(query: Query, request: BodyOfRequest): DeleteOptions {
  return checked(request.body === undefined && !request.text ? fromQuery(query) : fromBody(request));
}

function checked(raw: RawOptions): DeleteOptions {
  const { propagationPolicy: policy, orphanDependents: orphan, gracePeriodSeconds: grace } = raw;
  const dryRun = raw.dryRun ?? [];
  const errors: FieldError[] = [];
  const field = 'propagationPolicy';
  if (orphan !== undefined && policy !== undefined) {
    const message = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`;
    errors.push({ field, reason: 'FieldValueInvalid', message });
  }
  if (policy !== undefined && !isPropagation(policy)) {
    const message = `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`;
    errors.push({ field, reason: 'FieldValueNotSupported', message });
  }
  errors.push(...dryRunErrors(dryRun));
  if (errors.length > 0) invalidOptions('DeleteOptions', errors);
  const explicit = isPropagation(policy) ? policy : undefined;
  return {
    gracePeriodSeconds: grace !== undefined && grace < 0 ? 1 : grace,
    propagation: orphan === undefined ? explicit : orphan ? 'Orphan' : 'Background',
    uid: raw.preconditions?.uid ?? undefined,
    resourceVersion: raw.preconditions?.resourceVersion ?? undefined,
    dryRun: dryRun.length > 0,
    orphanDependentsFalse: orphan === false,
  };
}
