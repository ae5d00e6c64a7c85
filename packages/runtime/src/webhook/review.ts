import type { KubeObject, UserInfo } from '@coxswain/k8s';
import { badRequest, type Fields, isFields } from '../core/index.ts';
import type { Operation } from './types.ts';

/** An `AdmissionRequest` (`admission.k8s.io/v1`), as far as it is looked into. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: UserInfo;
  /** Absent on `DELETE`. */
  readonly object?: KubeObject;
  /** Only on `UPDATE` and `DELETE`. */
  readonly oldObject?: KubeObject;
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

/** What is asked, and the version in which the answer is wanted. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

const operations: ReadonlySet<unknown> = new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Reads a review. @throws ApiError 400 that says what is wrong with it */
export function readReview(body: unknown): AdmissionReview {
  const review = isFields(body) ? body : {};
  const { apiVersion, kind, request } = review;
  if (
    kind !== 'AdmissionReview' ||
    (apiVersion !== 'admission.k8s.io/v1' && apiVersion !== 'admission.k8s.io/v1beta1')
  ) {
    throw badRequest('the body must be an AdmissionReview of admission.k8s.io/v1');
  }
  if (!isFields(request)) throw badRequest('the AdmissionReview has no request');
  const wrong = mistakeIn(request);
  if (wrong) throw badRequest(`the request of the AdmissionReview is not valid: ${wrong}`);
  const { object, oldObject, ...rest } = request;
  return {
    apiVersion,
    request: {
      ...(rest as unknown as AdmissionRequest),
      userInfo: isFields(rest['userInfo']) ? rest['userInfo'] : {},
      ...(isFields(object) ? { object: object as unknown as KubeObject } : {}),
      ...(isFields(oldObject) ? { oldObject: oldObject as unknown as KubeObject } : {}),
    },
  };
}

function mistakeIn(request: Fields): string | undefined {
  const { uid, operation, kind, object, oldObject } = request;
  if (typeof uid !== 'string' || uid === '') return 'uid is missing';
  if (!operations.has(operation)) return `operation must be CREATE, UPDATE, DELETE or CONNECT`;
  if (!isFields(kind) || typeof kind['kind'] !== 'string') return 'kind is missing';
  if (operation === 'CONNECT') return undefined;
  if (operation !== 'DELETE' && !hasMetadata(object)) return 'object is missing, or has no metadata';
  if (operation !== 'CREATE' && !hasMetadata(oldObject)) return 'oldObject is missing, or has no metadata';
  return undefined;
}

const hasMetadata = (object: unknown): boolean => isFields(object) && isFields(object['metadata']);
