import { describe, expect, it } from 'vitest';
import { negotiateProjection } from './accept.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

describe('negotiateProjection', () => {
  it.each([
    [undefined, 'Object'],
    ['', 'Object'],
    ['*/*', 'Object'],
    ['application/yaml', 'Object'],
    ['application/json;stream=watch', 'Object'],
    [`${table},application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, 'Table'],
    [`application/json;as=Table;v=v1alpha1;g=meta.k8s.io,application/json`, 'Object'],
    [`application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json`, 'Table'],
    [
      `application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${partial},application/json`,
      'PartialObjectMetadata',
    ],
    [`application/json;q=0.5, ${table};q=0.9`, 'Table'],
    ['text/html, application/json', 'Object'],
  ])('%s: %s', (accept, form) => {
    expect(negotiateProjection(accept, true)).toBe(form);
  });

  it('falls back where tables cannot be made', () => {
    expect(negotiateProjection(`${table},application/json`, false)).toBe('Object');
    expect(() => negotiateProjection(table, false)).toThrow('only the following media types are accepted');
  });

  it.each([
    'text/html',
    'application/json;q=0',
    'application/json;as=Nothing;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v1;g=other',
  ])('refuses %s', (accept) => {
    expect(() => negotiateProjection(accept, true)).toThrow(
      expect.objectContaining({ code: 406, reason: 'NotAcceptable' }),
    );
  });
});
