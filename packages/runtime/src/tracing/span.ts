import type { Attributes, Span, SpanKind, SpanStatusCode, Tracer } from '@opentelemetry/api';

/** What is known of a span when it begins. */
export interface SpanFacts {
  readonly attributes?: Attributes;
  /** Whether it asks a server; default: it is work of this process. */
  readonly client?: boolean;
  /** Begins a trace of its own instead of being a child of what runs around it; default false. */
  readonly root?: boolean;
}

// Its values are not imported: nothing of the library is to be loaded for them.
const internalKind: SpanKind = 0;
const clientKind: SpanKind = 2;
const errorCode: SpanStatusCode = 2;

/** Runs something as a span, which is its parent's child and ends with it; what it throws is recorded and thrown on. */
export function inSpan<A>(
  tracer: Tracer,
  name: string,
  { attributes = {}, client = false, root = false }: SpanFacts,
  run: (span: Span) => Promise<A>,
): Promise<A> {
  return tracer.startActiveSpan(name, { kind: client ? clientKind : internalKind, attributes, root }, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      recordError(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed, and says by what. */
export function recordError(span: Span, error: unknown): void {
  const known = error instanceof Error;
  span.recordException(known ? error : String(error));
  span.setAttribute('error.type', known ? error.name : typeof error);
  span.setStatus({ code: errorCode, message: known ? error.message : String(error) });
}
