import { stripTypeScriptTypes } from 'node:module';
import type { CustomResourceDefinition } from '@coxswain/k8s';
import { defineResource, defineVersions, s } from '../index.ts';
import { isObject } from '../json.ts';

const importLine = /^import \{ [\w, ]+ \} from '@coxswain\/schema';$/gm;

/** Runs the text of a generated module, with this package behind its one import, and answers the CRD of its first export. */
export function crdOfModule(text: string): CustomResourceDefinition {
  const [, name] = /^export const (\w+) =/m.exec(text) ?? [];
  const script = stripTypeScriptTypes(text)
    .replace(importLine, '')
    .replace(/^export /gm, '');
  const run = new Function('defineResource', 'defineVersions', 's', `'use strict';${script}\nreturn ${name}.crd();`);
  return run(defineResource, defineVersions, s) as CustomResourceDefinition;
}

const metaFields = ['apiVersion', 'kind', 'metadata'];

/**
 * A CRD without what is not its author's: what the server fills in and keeps, the order of `required`, subresources that are none, and the prose on
 * `apiVersion`, `kind` and `metadata`.
 */
export function normalCrd(crd: CustomResourceDefinition): unknown {
  const { metadata, spec } = crd;
  const { annotations, labels, name } = metadata;
  const { names, versions, group, scope } = spec;
  return {
    apiVersion: crd.apiVersion,
    kind: crd.kind,
    metadata: { name, ...(annotations && { annotations }), ...(labels && { labels }) },
    spec: {
      group,
      names: { singular: names.kind.toLowerCase(), listKind: `${names.kind}List`, ...names },
      scope,
      versions: versions.map(({ subresources = {}, ...version }) => {
        const schema = { openAPIV3Schema: normalRoot(version.schema?.openAPIV3Schema) };
        return { ...version, schema, ...(Object.keys(subresources).length > 0 && { subresources }) };
      }),
    },
  };
}

function normalRoot(schema: unknown): unknown {
  const root = normal(schema);
  if (!isObject(root)) return root;
  const properties: Record<string, unknown> = { ...(isObject(root['properties']) && root['properties']) };
  for (const name of metaFields) {
    const { description: _, ...field } = isObject(properties[name]) ? properties[name] : {};
    properties[name] = { type: name === 'metadata' ? 'object' : 'string', ...field };
  }
  return { ...root, properties };
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, child]) => {
    const isRequired = key === 'required' && Array.isArray(child) && child.every((name) => typeof name === 'string');
    return [key, isRequired ? child.toSorted() : normal(child)];
  });
  return Object.fromEntries(entries);
}
