import { apiVersionOf, type Kind, type KubeObject } from '@coxswain/k8s';
import { formatMicroTime } from '../core/index.ts';

/** What an event is about. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** `spec.containers{main}` */
  readonly fieldPath?: string;
}

/** An `events.k8s.io/v1` Event as the recorder writes it. */
export interface RecordedEvent extends KubeObject {
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly regarding: ObjectReference;
  readonly note: string;
  readonly type: 'Normal' | 'Warning';
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** The Event of `events.k8s.io/v1`, as the recorder writes it. */
export const eventKind: Kind<RecordedEvent> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
};

/** What happened, to which object. */
export interface EventSpec {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, at most 128 characters. */
  readonly reason: string;
  /** For people; cut at 1 024 characters. */
  readonly message: string;
  /** CamelCase, at most 128 characters. */
  readonly action: string;
  readonly fieldPath?: string;
}

const noteLimit = 1024;

/** Cuts a note to what the API server takes (it counts bytes), never inside a character. */
function cutNote(note: string): string {
  if (Buffer.byteLength(note) <= noteLimit) return note;
  const bytes = Buffer.from(note).subarray(0, noteLimit - 3);
  return `${bytes.toString('utf8').replace(/\uFFFD+$/u, '')}…`;
}

/** The event object for its first occurrence. Events about cluster-scoped objects live in `default`. */
export function eventObject(spec: EventSpec, now: number, suffix: string, reporter: Reporter): RecordedEvent {
  const { name, namespace, uid, resourceVersion } = spec.object.metadata;
  return {
    apiVersion: apiVersionOf(eventKind),
    kind: eventKind.kind,
    metadata: { name: `${name.slice(0, 253 - suffix.length - 1)}.${suffix}`, namespace: namespace ?? 'default' },
    eventTime: formatMicroTime(now),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, 128),
    action: spec.action.slice(0, 128),
    reason: spec.reason.slice(0, 128),
    regarding: {
      apiVersion: apiVersionOf(spec.kind),
      kind: spec.kind.kind,
      name,
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(spec.fieldPath ? { fieldPath: spec.fieldPath } : {}),
    },
    note: cutNote(spec.message),
    type: spec.type,
  };
}

/** Who reports: a controller's qualified name, and which process of it. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
}
