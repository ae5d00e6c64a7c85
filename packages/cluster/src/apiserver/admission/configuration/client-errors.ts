import type { FieldError } from '@coxswain/schema';
import { numberAt, objectAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { invalidValue, required } from '../../builtin/shared/errors.ts';
import { dnsSubdomain, portNumber } from '../../builtin/shared/names.ts';

const form = '; desired format: https://host[/path]';

/** Errors of the address of a webhook. */
function urlErrors(url: string, field: string): readonly FieldError[] {
  const [, scheme = '', authority = '', query = '', fragment = ''] =
    /^(?:([a-zA-Z][-+.a-zA-Z0-9]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalidValue(field, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  }
  if (host === '') errors.push(invalidValue(field, host, `host must be specified${form}`));
  if (at >= 0) {
    errors.push(invalidValue(field, authority.slice(0, at), 'user information is not permitted in the URL'));
  }
  if (fragment !== '') errors.push(invalidValue(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(field, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function pathErrors(path: string, field: string): readonly FieldError[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')];
  const start = path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  const broken = steps.flatMap((step, i) => {
    if (step === '') return [invalidValue(field, path, `segment[${i}] may not be empty`)];
    return dnsSubdomain(step).map((text) => invalidValue(field, path, `segment[${i}]: ${text}`));
  });
  return [...start, ...broken];
}

function serviceErrors(service: ReadJson, field: string): readonly FieldError[] {
  const port = numberAt(service, 'port') ?? 443;
  const bad = portNumber(port);
  return [
    ...['name', 'namespace'].flatMap((key) => (textAt(service, key) === '' ? [required(`${field}.${key}`)] : [])),
    ...(bad.length > 0 ? [invalidValue(`${field}.port`, port, `port is not valid: ${bad.join(', ')}`)] : []),
    ...pathErrors(textAt(service, 'path'), `${field}.path`),
  ];
}

/** Errors of what says where a webhook is. */
export function clientErrors(client: ReadJson | undefined, field: string): readonly FieldError[] {
  const url = client?.url;
  const service = objectAt(client, 'service');
  if ((typeof url === 'string') === (service !== undefined)) {
    return [required(field, 'exactly one of url or service is required')];
  }
  return typeof url === 'string' ? urlErrors(url, `${field}.url`) : serviceErrors(service ?? {}, `${field}.service`);
}
