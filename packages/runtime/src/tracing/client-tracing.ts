import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import type { Interceptor, TransportRequest } from '../client/index.ts';
import { ApiError } from '../core/index.ts';
import { pathTemplate } from './path-template.ts';
import { inSpan } from './span.ts';

/**
 * Makes a span of every try of every call, named by method and path without names, a child of the span around it: of the
 * reconcile, when the manager has the same tracer. The server gets it as W3C `traceparent`, so that its own spans (kube-apiserver
 * with tracing on) join the trace. A watch is a trace of its own, from the question to its acceptance: it outlives whoever asked.
 *
 * `createClient({ …, interceptors: [clientTracing(tracer)] })`
 */
export function clientTracing(tracer: Tracer): Interceptor {
  const traced = <A>(
    request: TransportRequest,
    root: boolean,
    call: (request: TransportRequest) => Promise<A>,
    status: (answer: A) => number,
  ): Promise<A> => {
    const template = pathTemplate(request.path);
    const facts = { client: true, root, attributes: attributesOf(request, template) };
    return inSpan(tracer, `${request.method} ${template}`, facts, async (span) => {
      try {
        const answer = await call({ ...request, headers: { ...request.headers, ...traceHeaders(span) } });
        span.setAttribute('http.response.status_code', status(answer));
        return answer;
      } catch (error) {
        if (error instanceof ApiError) span.setAttribute('http.response.status_code', error.code);
        throw error;
      }
    });
  };
  return {
    send: (request, next) => traced(request, false, next, ({ status }) => status),
    watch: (request, next) => traced(request, true, next, () => 200),
  };
}

function attributesOf({ method, attempt }: TransportRequest, template: string): Attributes {
  const attributes: Attributes = { 'http.request.method': method, 'url.template': template };
  return attempt ? { ...attributes, 'http.request.resend_count': attempt } : attributes;
}

const noTrace = /^0*$/;

/** The headers of W3C Trace Context; none for a span of a tracer that does nothing. */
function traceHeaders(span: Span): Readonly<Record<string, string>> {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  if (noTrace.test(traceId)) return {};
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}
