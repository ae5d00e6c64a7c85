// Events: what people see under `kubectl describe`. Records events.k8s.io/v1 with series and a budget per object, in
// the background. Knows the client only.
export { type EventSpec, eventKind, type ObjectReference, type RecordedEvent, type Reporter } from './event-object.ts';
export { createRecorder, type EventDetails, type EventRecorder, type RecorderOptions } from './recorder.ts';
