import type { PolicyRule } from '@coxswain/k8s';
import { rulesOf } from '@coxswain/runtime/manifests';
import { webhookConfigurations } from '@coxswain/runtime/webhook';
import { stringify } from 'yaml';
import { matrixoneWebhooks } from '../admission/index.ts';
import { BucketClaim } from '../api/index.ts';
import { matrixoneOperator } from '../operator.ts';
import { leaseName } from '../process/index.ts';

/** Helm deletes what a release does not have any more, but for objects with this annotation: users' clusters go with their CRD. */
const keep = { 'helm.sh/resource-policy': 'keep' };

// Helm reads YAML 1.1, in which a plain `on` is no text.
const text = (value: unknown): string =>
  stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });

/**
 * The files of the chart that are made from what the operator declares: its CRDs, its webhooks, and its rules in three lists: `cluster` (of
 * kinds without a namespace), `namespaced` (where clusters are) and `own` (where the operator itself is).
 * @returns text by path below the chart
 */
export function chartFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const crd of matrixoneOperator.crds()) {
    const { metadata, ...rest } = crd;
    const kept = { ...metadata, annotations: { ...metadata.annotations, ...keep } };
    files.set(`files/crds/${metadata.name}.yaml`, text({ ...rest, metadata: kept }));
  }
  files.set('files/rules.yaml', text(ruleLists([...matrixoneOperator.rules(), ...admissionRules])));
  const [mutating, validating] = webhookConfigurations(matrixoneWebhooks());
  files.set('files/webhooks.yaml', text({ mutating: mutating?.webhooks, validating: validating?.webhooks }));
  return files;
}

/** What webhooks look up. */
const admissionRules: readonly PolicyRule[] = [
  { apiGroups: [BucketClaim.group], resources: [BucketClaim.plural], verbs: ['list'] },
];

/** What the process needs besides its controllers: its lease. */
function ownRules(): readonly PolicyRule[] {
  const namespace = 'release';
  const { namespaces = {} } = rulesOf({ name: 'process', setup() {} }, { election: { namespace, lease: leaseName } });
  return namespaces[namespace] ?? [];
}

function ruleLists(rules: readonly PolicyRule[]): Readonly<Record<string, readonly PolicyRule[]>> {
  const wide = new Set(
    matrixoneOperator
      .crds()
      .filter(({ spec }) => spec.scope === 'Cluster')
      .map(({ spec }) => `${spec.names.plural}.${spec.group}`),
  );
  const isWide = (rule: PolicyRule) => (resource: string) =>
    rule.apiGroups?.some((group) => wide.has(`${resource.replace(/\/.*/, '')}.${group}`)) ?? false;
  const part = (keepResource: (rule: PolicyRule) => (resource: string) => boolean) =>
    rules.flatMap((rule) => {
      const resources = rule.resources?.filter(keepResource(rule)) ?? [];
      return resources.length > 0 ? [{ ...rule, resources }] : [];
    });
  return {
    cluster: part(isWide),
    namespaced: part((rule) => (resource) => !isWide(rule)(resource)),
    own: ownRules(),
  };
}
