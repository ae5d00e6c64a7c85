import { type Clock, invalid } from '@coxswain/runtime/core';
import type { FieldError } from '@coxswain/schema';
import type { LogOptions } from '../../nodes.ts';
import { fieldForbidden, fieldInvalid } from '../../rest/field-errors.ts';
import type { ApiRequest } from '../../types.ts';
import { parseGoTime } from './go-time.ts';
import { flag, wholeNumber } from './query-values.ts';

/** What a request asks for in a log, and the query with which a node would be asked. */
export interface LogQuery {
  readonly container: string;
  readonly options: LogOptions;
  readonly text: string;
}

/** No time given counts as the beginning of all times. */
function timeValue(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text === '' || text === 'null' ? Date.parse('0001-01-01T00:00:00Z') : parseGoTime(text);
}

/** Gathers violations as the real server does: `''` is how it names the whole. */
function violations(values: {
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  readonly sinceSeconds: number | undefined;
  readonly sinceTime: number | undefined;
  readonly stream: string | undefined;
}): FieldError[] {
  const { tailLines = 0, limitBytes = 1, sinceSeconds, sinceTime, stream } = values;
  const positive = 'must be greater than 0';
  const errors: FieldError[] = [];
  if (tailLines < 0) errors.push(fieldInvalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes < 1) errors.push(fieldInvalid('limitBytes', limitBytes, positive));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(fieldForbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(fieldInvalid('sinceSeconds', sinceSeconds, positive));
  // The choice of a stream is behind a feature gate that is off.
  if (stream !== undefined) errors.push(fieldForbidden('stream', 'may not be specified'));
  return errors;
}

/** @throws ApiError BadRequest for what cannot be read, Invalid for what makes no sense */
export function logQuery(request: ApiRequest, pod: string, clock: Clock): LogQuery {
  const { query = {} } = request;
  const tailLines = wholeNumber(request, 'tailLines');
  const limitBytes = wholeNumber(request, 'limitBytes');
  const sinceSeconds = wholeNumber(request, 'sinceSeconds');
  const sinceTime = timeValue(query.sinceTime);
  const errors = violations({ tailLines, limitBytes, sinceSeconds, sinceTime, stream: query.stream });
  if (errors.length > 0) throw invalid('', 'PodLogOptions', pod, errors);
  const follow = flag(request, 'follow');
  const previous = flag(request, 'previous');
  const timestamps = flag(request, 'timestamps');
  const since = sinceSeconds === undefined ? sinceTime : clock.now() - sinceSeconds * 1000;
  const text = new URLSearchParams({
    ...(follow ? { follow: 'true' } : {}),
    ...(limitBytes === undefined ? {} : { limitBytes: String(limitBytes) }),
    ...(previous ? { previous: 'true' } : {}),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds: String(sinceSeconds) }),
    ...(sinceTime === undefined ? {} : { sinceTime: new Date(sinceTime).toISOString().replace(/\.\d+/, '') }),
    ...(tailLines === undefined ? {} : { tailLines: String(tailLines) }),
    ...(timestamps ? { timestamps: 'true' } : {}),
  });
  return {
    container: query.container ?? '',
    text: text.size > 0 ? `?${text}` : '',
    options: {
      follow,
      previous,
      timestamps,
      ...(tailLines === undefined ? {} : { tailLines }),
      ...(limitBytes === undefined ? {} : { limitBytes }),
      ...(since === undefined ? {} : { since }),
    },
  };
}
