import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  given,
  listAt,
  numberAt,
  objectAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { forbiddenField, immutableText, invalidValue, required, tooLong } from '../shared/errors.ts';
import { dnsSubdomain, rangeText } from '../shared/names.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { formatErrors } from '../shared/values.ts';

const longestAttacher = 63;
const longestMessage = 1024;
const greatestCode = 2 ** 31 - 1;
const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const attacherText = `an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '${subdomain}')`;

function validateAttacher(name: string, field: string): readonly FieldError[] {
  if (name === '') return [required(field)];
  if (name.length > longestAttacher) {
    const message = `Too long: may not be more than ${longestAttacher} characters`;
    return [{ ...tooLong(field, longestAttacher), message }];
  }
  return new RegExp(`^${subdomain}$`).test(name.toLowerCase()) ? [] : [invalidValue(field, name, attacherText)];
}

function validateSource(source: ReadJson | undefined): readonly FieldError[] {
  const field = 'spec.source';
  const inline = objectAt(source, 'inlineVolumeSpec');
  const name = source?.persistentVolumeName;
  const oneOf = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inline && !given(name)) return [required(field, oneOf)];
  if (inline && given(name)) return [forbiddenField(field, oneOf)];
  if (!inline) return formatErrors(String(name), `${field}.persistentVolumeName`, dnsSubdomain);
  const place = `${field}.inlineVolumeSpec`;
  return [
    ...(objectAt(inline, 'csi')
      ? []
      : [required(`${place}.csi`, 'has to be specified in the context of inline volumes')]),
    ...(listAt(inline, 'accessModes').length > 0 ? [] : [required(`${place}.accessModes`)]),
  ];
}

function validateProblem(problem: ReadJson | undefined, field: string): readonly FieldError[] {
  const code = numberAt(problem, 'errorCode');
  return [
    ...(textAt(problem, 'message').length > longestMessage ? [tooLong(`${field}.message`, longestMessage)] : []),
    ...(code !== undefined && (code < 0 || code > greatestCode)
      ? [invalidValue(`${field}.errorCode`, code, rangeText(0, greatestCode))]
      : []),
  ];
}

/** What the attacher says of its work. */
export function validateAttachmentStatus(object: ReadJson): readonly FieldError[] {
  const status = objectAt(object, 'status');
  return ['attachError', 'detachError'].flatMap((key) => validateProblem(objectAt(status, key), `status.${key}`));
}

export const volumeAttachmentStrategy: Strategy = {
  resets: statusOnlyResets,
  default: (draft) => fill(ensureObject(draft, 'status'), 'attached', false),
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  prepareCreate(draft) {
    draft.status = { attached: false };
  },
  validate(object, { subresource }) {
    if (subresource !== '') return [];
    const spec = objectAt(object, 'spec');
    const attacher = textAt(spec, 'attacher');
    const errors = [
      ...validateSource(objectAt(spec, 'source')),
      ...formatErrors(textAt(spec, 'nodeName'), 'spec.nodeName', dnsSubdomain),
    ];
    return [...errors, ...validateAttacher(attacher, 'spec.attacher')];
  },
  // The server prints the spec without its value.
  validateUpdate: (object, old) => (sameJson(object.spec, old.spec) ? [] : [invalidValue('spec', null, immutableText)]),
};
