import type { KubeObject } from '@coxswain/k8s';
import { deepEqual } from '@coxswain/runtime/core';
import { type AdmissionContext, type Draft, type Findings, type Webhook, webhook } from '@coxswain/runtime/webhook';
import { chartServiceArgs, type DefaultServiceArgs } from '../defaults/index.ts';
import { below, type Problem } from '../validation/index.ts';
import { defaultDraft } from './default-draft.ts';
import { fieldErrors } from './field-errors.ts';
import {
  clusterRules,
  cnSetRules,
  dnSetRules,
  logSetRules,
  type PlacedSet,
  proxySetRules,
  type Rules,
  webUIRules,
} from './rules.ts';
import { triedOverlayProblems } from './try-overlay.ts';
import { versionWarnings } from './version-warnings.ts';

/** Options of the webhooks. */
export interface AdmissionOptions {
  /** Arguments of services whose set names none; default: those of the Helm chart. */
  readonly serviceArgs?: DefaultServiceArgs;
  /** Whether an S3 path belongs to one log service, as claims tell; default true. Needs to list BucketClaims. */
  readonly s3Reclaim?: boolean;
}

/** The part of an object that is judged. */
function judged(object: KubeObject): unknown {
  const { metadata: _, status: __, ...rest } = object as KubeObject & { readonly status?: unknown };
  return rest;
}

function told({ field, message }: Problem): string {
  return `${field}: ${message}`;
}

/** What is wrong with a new object. */
async function ofCreate<T extends KubeObject>(
  rules: Rules<T>,
  object: T,
  context: AdmissionContext,
): Promise<readonly Problem[]> {
  const found = rules.problems(rules.defaulted?.(object) ?? object);
  return found.length > 0 ? found : outside(rules, object, undefined, context);
}

/** What others have to say: owners of what it wants, and the API server of what becomes pods. What was said before is not asked about again. */
async function outside<T extends KubeObject>(
  { others, sets }: Rules<T>,
  object: T,
  old: T | undefined,
  context: AdmissionContext,
): Promise<readonly Problem[]> {
  const before = old === undefined ? [] : sets(old);
  const isNew = ({ path, spec }: PlacedSet) =>
    !before.some((one) => one.path === path && deepEqual(one.spec.overlay, spec.overlay));
  const tried = sets(object)
    .filter(isNew)
    .map(async ({ path, spec }) => below(path, await triedOverlayProblems(spec.overlay, context)));
  const found = await Promise.all([others?.(object, old, context) ?? [], ...tried]);
  return found.flat();
}

/** What is wrong with a change. What was wrong before is not held against it. */
async function ofUpdate<T extends KubeObject>(
  rules: Rules<T>,
  object: T,
  old: T,
  context: AdmissionContext,
): Promise<readonly Problem[]> {
  // Nothing may stand in the way of what goes, and of writes that leave the spec alone.
  if (object.metadata.deletionTimestamp !== undefined || deepEqual(judged(object), judged(old))) return [];
  const { defaulted, problems, changes } = rules;
  // A stored object without defaults may not be held against one that has them.
  const before = defaulted?.(old) ?? old;
  const after = defaulted?.(object) ?? object;
  const known = new Set(problems(before).map(told));
  const found = problems(after);
  const wrong = [...found.filter((problem) => !known.has(told(problem))), ...(changes?.(before, after) ?? [])];
  // Others are asked about what is right in itself.
  return wrong.length > 0 || found.length > 0 ? wrong : outside(rules, after, before, context);
}

function findings<T extends KubeObject>({ sets }: Rules<T>, object: T, problems: readonly Problem[]): Findings {
  return [...fieldErrors(object, problems), ...versionWarnings(sets(object))];
}

function hookOf<T extends KubeObject>(rules: Rules<T>): Webhook {
  const { resource, defaulted, created } = rules;
  const lower = resource.kind.toLowerCase();
  const hook = webhook<T>(
    resource,
    {
      ...(defaulted && {
        default(draft: Draft<T>, { operation }: AdmissionContext) {
          const filled = (object: T) =>
            operation === 'CREATE' && created ? created(defaulted(object)) : defaulted(object);
          defaultDraft(resource, draft, filled);
        },
      }),
      validate: {
        async create(object: T, context: AdmissionContext): Promise<Findings> {
          return findings(rules, object, await ofCreate(rules, object, context));
        },
        async update(object: T, old: T, context: AdmissionContext): Promise<Findings> {
          return findings(rules, object, await ofUpdate(rules, object, old, context));
        },
      },
    },
    {
      admissionReviewVersions: ['v1', 'v1beta1'],
      mutating: { name: `m${lower}.kb.io` },
      validating: { name: `v${lower}.kb.io` },
    },
  );
  return hook as unknown as Webhook;
}

/**
 * The webhooks of the six kinds that have any: defaults (`spec/matrixone.md` §4.1), and what the CRDs cannot say (§4.2, §4.3).
 * Serve them with `webhookServer`, and tell the API server of them with `webhookConfigurations`.
 */
export function matrixoneWebhooks(options: AdmissionOptions = {}): readonly Webhook[] {
  const settings = { serviceArgs: options.serviceArgs ?? chartServiceArgs, s3Reclaim: options.s3Reclaim ?? true };
  return [
    hookOf(clusterRules(settings)),
    hookOf(logSetRules(settings)),
    hookOf(dnSetRules(settings)),
    hookOf(cnSetRules(settings)),
    hookOf(proxySetRules(settings)),
    hookOf(webUIRules),
  ];
}
