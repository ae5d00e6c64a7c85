import { objectAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import type { Check, Judge } from './check.ts';
import { blamed, named, nameOf, securityOf, sorted } from './pod-view.ts';

const types = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const judge =
  (allowed: readonly string[]): Judge =>
  ({ spec, containers }) => {
    const options = (parent: ReadJson) => objectAt(securityOf(parent), 'seLinuxOptions');
    const field = (parent: ReadJson, key: string) => textAt(options(parent), key);
    const bad = (parent: ReadJson) =>
      !allowed.includes(field(parent, 'type')) || field(parent, 'user') !== '' || field(parent, 'role') !== '';
    const who = [spec, ...containers].filter(bad);
    if (who.length === 0) return undefined;
    const badTypes = sorted(who.map((parent) => field(parent, 'type')).filter((type) => !allowed.includes(type)));
    const what = [
      ...(badTypes.length > 0 ? [named('type', badTypes)] : []),
      ...['user', 'role']
        .filter((key) => who.some((parent) => field(parent, key) !== ''))
        .map((key) => `${key} may not be set`),
    ];
    const names = blamed(bad(spec), containers.filter(bad).map(nameOf));
    const detail = `${names} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`;
    return { reason: 'seLinuxOptions', detail };
  };

/** The type of an SELinux label is one of a few; its user and role are the machine's. */
export const seLinuxCheck: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { since: 0, judge: judge(types) },
    { since: 31, judge: judge([...types, 'container_engine_t']) },
  ],
};
