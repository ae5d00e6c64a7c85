import type { MutableJson } from '@coxswain/k8s';
import type { StrategyContext } from '../types.ts';

type Answer = (draft: MutableJson, context: StrategyContext) => MutableJson;

/** The embedded server lets every authenticated user do everything. */
const allow: Answer = (draft) => ({ ...draft, status: { allowed: true } });

const whoAmI: Answer = (draft, { user }) => ({
  ...draft,
  status: {
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    },
  },
});

const everyRule: Answer = (draft) => ({
  ...draft,
  status: {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  },
});

/** Kinds that are questions: a POST is answered, nothing is stored. By `group/plural`. */
export const reviewAnswers: Readonly<Record<string, Answer>> = {
  'authentication.k8s.io/selfsubjectreviews': whoAmI,
  'authorization.k8s.io/selfsubjectaccessreviews': allow,
  'authorization.k8s.io/subjectaccessreviews': allow,
  'authorization.k8s.io/localsubjectaccessreviews': allow,
  'authorization.k8s.io/selfsubjectrulesreviews': everyRule,
};
