import { mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';

const enforced = 'kubernetes.io/enforce-mountable-secrets';

interface SecretUse {
  readonly secret: string;
  /** What uses it, as a refusal says it. */
  readonly by: string;
}

const nameOf = (part: ReadJson | undefined): string => textAt(part, 'name');

function volumeUses(spec: ReadJson): readonly SecretUse[] {
  return objectsAt(spec, 'volumes').flatMap((volume) => {
    const secret = textAt(objectAt(volume, 'secret'), 'secretName');
    return objectAt(volume, 'secret') ? [{ secret, by: 'volume with' }] : [];
  });
}

function containerUses(noun: string, container: ReadJson): readonly SecretUse[] {
  const who = `${noun} ${nameOf(container)}`;
  const single = objectsAt(container, 'env').flatMap((variable) => {
    const reference = objectAt(objectAt(variable, 'valueFrom'), 'secretKeyRef');
    return reference ? [{ secret: nameOf(reference), by: `${who} with envVar ${nameOf(variable)} referencing` }] : [];
  });
  const whole = objectsAt(container, 'envFrom').flatMap((source) => {
    const reference = objectAt(source, 'secretRef');
    return reference ? [{ secret: nameOf(reference), by: `${who} with envFrom referencing` }] : [];
  });
  return [...single, ...whole];
}

const usesOf = (spec: ReadJson): readonly SecretUse[] => [
  ...volumeUses(spec),
  ...objectsAt(spec, 'initContainers').flatMap((one) => containerUses('init container', one)),
  ...objectsAt(spec, 'containers').flatMap((one) => containerUses('container', one)),
];

/** Whether a pod uses any secret. */
export function usesSecrets(spec: ReadJson): boolean {
  const ephemeral = objectsAt(spec, 'ephemeralContainers').flatMap((one) => containerUses('', one));
  const projected = objectsAt(spec, 'volumes').flatMap((volume) => objectsAt(objectAt(volume, 'projected'), 'sources'));
  return (
    usesOf(spec).length + ephemeral.length + objectsAt(spec, 'imagePullSecrets').length > 0 ||
    projected.some((source) => objectAt(source, 'secret'))
  );
}

/** Why an account that says which secrets its pods may use does not let a pod be; `undefined` when it does. */
export function mountableRefusal(account: ReadJson, spec: ReadJson): string | undefined {
  const annotations = mapAt(objectAt(account, 'metadata'), 'annotations');
  if (!/^(1|t|T|TRUE|true|True)$/.test(annotations[enforced] ?? '')) return undefined;
  const owner = `service account ${nameOf(objectAt(account, 'metadata'))}`;
  const listed = (key: string) => new Set(objectsAt(account, key).map(nameOf));
  const mountable = listed('secrets');
  const use = usesOf(spec).find(({ secret }) => !mountable.has(secret));
  if (use) {
    const what = `${use.by} secret.secretName="${use.secret}"`;
    return `${what} is not allowed because ${owner} does not reference that secret`;
  }
  const pullable = listed('imagePullSecrets');
  const pulled = objectsAt(spec, 'imagePullSecrets').map(nameOf);
  const index = pulled.findIndex((name) => !pullable.has(name));
  if (index < 0) return undefined;
  const what = `imagePullSecrets[${index}].name="${pulled[index]}"`;
  return `${what} is not allowed because ${owner} does not reference that imagePullSecret`;
}
