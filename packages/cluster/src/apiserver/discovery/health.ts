import type { ApiRequest, ApiResponse, NonResourceRoute } from '../types.ts';

/** One thing that must be well. Answers nothing, or why not. */
export interface HealthCheck {
  readonly name: string;
  check(): string | undefined;
  /** Where it counts: `healthz`, `livez`, `readyz`; default in all of them. */
  readonly endpoints?: readonly string[];
}

interface Outcome {
  readonly name: string;
  readonly state: 'ok' | 'excluded' | 'failed';
}

const endpoints = ['healthz', 'livez', 'readyz'];

function parse(path: string): { endpoint: string; check: string } | undefined {
  const [, endpoint = '', ...rest] = path.split('/');
  return endpoints.includes(endpoint) ? { endpoint, check: rest.join('/') } : undefined;
}

const marks = {
  ok: ['[+]', 'ok'],
  excluded: ['[+]', 'excluded: ok'],
  failed: ['[-]', 'failed: reason withheld'],
} as const;

function verboseText(endpoint: string, outcomes: readonly Outcome[], passed: boolean): string {
  const lines = outcomes.map(({ name, state }) => `${marks[state][0]}${name} ${marks[state][1]}`);
  return `${lines.join('\n')}\n${endpoint} check ${passed ? 'passed' : 'failed'}\n`;
}

function answer(request: ApiRequest, endpoint: string, checks: readonly HealthCheck[]): ApiResponse {
  const excluded = (request.query?.exclude ?? '').split(',');
  const outcomes = checks.map(({ name, check }): Outcome => {
    if (excluded.includes(name)) return { name, state: 'excluded' };
    return { name, state: check() === undefined ? 'ok' : 'failed' };
  });
  const passed = outcomes.every(({ state }) => state !== 'failed');
  const verbose = request.query?.verbose !== undefined || !passed;
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  const body = verbose ? verboseText(endpoint, outcomes, passed) : 'ok';
  return { kind: 'text', code: passed ? 200 : 500, body, headers };
}

/** `/healthz`, `/livez` and `/readyz` with `?verbose`, `?exclude=` and a path for each check. */
export function healthRoute(checks: readonly HealthCheck[] = []): NonResourceRoute {
  const all: readonly HealthCheck[] = [{ name: 'ping', check: () => undefined }, ...checks];
  const wantedAt = (path: string): readonly HealthCheck[] => {
    const { endpoint, check: wanted } = parse(path) ?? { endpoint: '', check: '' };
    if (endpoint === '') return [];
    const counting = all.filter(({ endpoints: where }) => !where || where.includes(endpoint));
    return wanted === '' ? counting : counting.filter(({ name }) => name === wanted);
  };
  return {
    match: (path) => wantedAt(path).length > 0,
    handle(request) {
      const parsed = parse(request.path);
      const wanted = wantedAt(request.path);
      return answer(request, parsed?.endpoint ?? '', wanted);
    },
  };
}
