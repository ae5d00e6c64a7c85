// Tracing: reconciles, actions and the client's requests as OpenTelemetry spans. Stands on the interface of
// `@opentelemetry/api` alone, by its types: the spans come from the tracer that is passed in, and which span is whose
// child is for its SDK to know. Knows nothing of controllers or actors; without a tracer nothing here is called.
export { clientTracing } from './client-tracing.ts';
export { pathTemplate } from './path-template.ts';
export { inSpan, recordError, type SpanFacts } from './span.ts';
