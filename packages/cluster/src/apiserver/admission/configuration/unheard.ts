import { objectsAt, type ReadJson } from '../../builtin/shared/draft.ts';
import { textsAt } from '../matching/index.ts';

/** Questions about identity and rights: no webhook hears of them, or it could lock everybody out. */
const unheard: Readonly<Record<string, readonly string[]>> = {
  'authentication.k8s.io': ['selfsubjectreviews', 'tokenreviews'],
  'authorization.k8s.io': [
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ],
};

/** Warnings of rules that name what webhooks never hear of. */
export function unheardWarnings(hooks: readonly ReadJson[]): readonly string[] {
  return hooks.flatMap((hook, i) =>
    objectsAt(hook, 'rules').flatMap((rule, j) => {
      const [groups, resources] = [textsAt(rule, 'apiGroups'), textsAt(rule, 'resources')];
      if (groups.includes('*') || resources.includes('*')) return [];
      const named = groups.flatMap((group) => resources.map((resource) => ({ group, resource })));
      const excluded = named.filter(({ group, resource }) => unheard[group]?.includes(resource));
      const texts = excluded.map(({ group, resource }) => `${resource}.${group}`);
      return [...new Set(texts)].map(
        (text) =>
          `webhooks[${i}].rules[${j}]: ${text} is excluded from admission webhooks; this rule will have no effect`,
      );
    }),
  );
}
