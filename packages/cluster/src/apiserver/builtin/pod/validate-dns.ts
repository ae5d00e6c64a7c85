import type { FieldError } from '@coxswain/schema';
import { listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, required } from '../shared/errors.ts';
import { validateAddress } from '../shared/ip.ts';
import { dnsSubdomain, dnsSubdomainUnderscore } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';

/** Limits of the resolver library. */
const [mostServers, mostSearches, longestSearch] = [3, 32, 2048];

function validateSearches(config: ReadJson, field: string): readonly FieldError[] {
  const searches = listAt(config, 'searches').map(String);
  const errors: FieldError[] = [];
  if (searches.length > mostSearches) {
    errors.push(invalidValue(field, searches, `must not have more than ${mostSearches} search paths`));
  }
  if (searches.join(' ').length > longestSearch) {
    const text = `must not have more than ${longestSearch} characters (including spaces) in the search list`;
    errors.push(invalidValue(field, searches, text));
  }
  searches.forEach((search, i) => {
    if (search === '.') return;
    errors.push(...formatErrors(search.replace(/\.$/, ''), `${field}[${i}]`, dnsSubdomainUnderscore));
  });
  return errors;
}

/** `dnsConfig` of a pod: who takes no DNS from the cluster must bring a server. */
export function validateDnsConfig(spec: ReadJson, field: string): readonly FieldError[] {
  const config = objectAt(spec, 'dnsConfig');
  const servers = listAt(config, 'nameservers').map(String);
  if (spec.dnsPolicy === 'None') {
    if (!config) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      const text = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(`${field}.nameservers`, text)];
    }
  }
  if (!config) return [];
  const errors: FieldError[] = [];
  if (servers.length > mostServers) {
    errors.push(invalidValue(`${field}.nameservers`, servers, `must not have more than ${mostServers} nameservers`));
  }
  errors.push(
    ...servers.flatMap((server, i) => validateAddress(server, `${field}.nameservers[${i}]`)),
    ...validateSearches(config, `${field}.searches`),
  );
  objectsAt(config, 'options').forEach((option, i) => {
    if (textAt(option, 'name') === '') errors.push(required(`${field}.options[${i}]`, 'must not be empty'));
  });
  return errors;
}

/** Lines for `/etc/hosts`. */
export function validateHostAliases(spec: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(spec, 'hostAliases').flatMap((alias, i) => [
    ...validateAddress(textAt(alias, 'ip'), `${field}[${i}].ip`),
    ...listAt(alias, 'hostnames').flatMap((name, j) =>
      formatErrors(String(name), `${field}[${i}].hostnames[${j}]`, dnsSubdomain),
    ),
  ]);
}
