import { schemaTable } from '@coxswain/k8s/schemas';
import { badRequest } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import { columnsOf } from '../table/columns.ts';
import type { ResourceInfo, ScalePaths, Strategy, SubresourceInfo } from '../types.ts';
import { componentStatuses } from './component-statuses.ts';
import { conversions } from './conversions.ts';
import { type ResourceRow, resourceTable } from './resource-table.ts';
import { openReviews, type ReviewAnswers } from './reviews.ts';
import { plainRules } from './rules.ts';
import { selectableFields } from './selectable.ts';
import { statusRules } from './status-rules.ts';
import { statusUpdateRules } from './status-update-rules.ts';
import { StoredFormError, toStoredForm } from './stored-form.ts';
import { loopbackStrategies, strategies } from './strategies.ts';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Where a group's types are in the schema table, when it is not `io.k8s.api.<first label>`. */
const packages: Readonly<Record<string, string>> = {
  '': 'io.k8s.api.core',
  'apiextensions.k8s.io': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'io.k8s.kube-aggregator.pkg.apis.apiregistration',
};

/** Name of a built-in kind in the schema table: `io.k8s.api.apps.v1.Deployment`. */
export function definitionName(group: string, version: string, kind: string): string {
  const prefix = packages[group] ?? `io.k8s.api.${group.split('.')[0]}`;
  return `${prefix}.${version}.${kind}`;
}

const workloadScale: ScalePaths = {
  specReplicas: 'spec.replicas',
  statusReplicas: 'status.replicas',
  labelSelector: 'spec.selector',
};

function subresourceOf(text: string): SubresourceInfo {
  const [name = '', target = '', verbs = ''] = text.split(':');
  const parts = target.split('/');
  const kind = parts.pop() ?? '';
  const version = parts.pop();
  return {
    name,
    kind,
    ...(version === undefined ? {} : { group: parts.join('/'), version }),
    verbs: verbs.split('+'),
  };
}

/** Warnings that come with every answer. */
const deprecations: Readonly<Record<string, string>> = {
  '/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
  '/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

/** Events and autoscalers are served in two forms over one store, which keeps the form named here. */
const stores: Readonly<Record<string, string>> = { 'events.k8s.io/events': '/events' };

/** The defaults of a kind, brought into the form that the real server would store. */
function storedDefaults({ group, version, kind }: ResourceRow, own: Strategy): Strategy['default'] {
  const definition = definitionName(group, version, kind);
  if (!definition.startsWith('io.k8s.api.')) return own.default;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return (draft, clock) => {
    own.default?.(draft, clock);
    try {
      toStoredForm(draft, definition);
    } catch (error) {
      if (!(error instanceof StoredFormError)) throw error;
      throw badRequest(
        `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${kind}: ${error.message}`,
      );
    }
  };
}

export interface BuiltinOptions {
  /** Whether endpoints may be in the loopback range. Default false: as the real server. */
  readonly loopbackPods?: boolean;
}

/** A status write is held against the status rules only: what it cannot change is not checked again. */
function strategyOf(row: ResourceRow, id: string, { loopbackPods }: BuiltinOptions): Strategy {
  const own = (loopbackPods ? loopbackStrategies[id] : undefined) ?? strategies[id] ?? {};
  const fill = storedDefaults(row, own);
  return {
    ...plainRules(id),
    ...own,
    ...(fill ? { default: fill } : {}),
    validate: (object, context) =>
      (context.subresource === 'status' ? statusRules[id]?.(object) : own.validate?.(object, context)) ?? [],
    validateUpdate: (object, old, context) =>
      (context.subresource === 'status'
        ? statusUpdateRules[id]?.(object, old, context)
        : own.validateUpdate?.(object, old, context)) ?? [],
  };
}

function resourceOf(row: ResourceRow, answers: ReviewAnswers, options: BuiltinOptions): ResourceInfo {
  const id = `${row.group}/${row.plural}`;
  const versioned = `${row.group}/${row.version}/${row.plural}`;
  const answer = answers[id];
  const conversion = conversions[versioned];
  return {
    group: row.group,
    version: row.version,
    kind: row.kind,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    namespaced: row.namespaced,
    shortNames: row.shortNames,
    categories: row.categories,
    verbs: row.verbs?.split(' ') ?? allVerbs,
    get schema() {
      return schemaTable<SchemaNode>()[definitionName(row.group, row.version, row.kind)] ?? {};
    },
    strategy: strategyOf(row, id, options),
    columns: columnsOf(row.group, row.plural),
    status: row.subresources.includes('status'),
    ...(row.subresources.includes('scale') ? { scale: workloadScale } : {}),
    selectable: selectableFields[id] ?? {},
    builtIn: true,
    ...(deprecations[id] ? { deprecated: deprecations[id] } : {}),
    storage: stores[id] ?? id,
    subresources: row.subresources.filter((text) => text.includes(':')).map(subresourceOf),
    ...(answer ? { answer } : {}),
    ...(id === '/componentstatuses' ? { objects: componentStatuses } : {}),
    ...(id === '/bindings' ? { postsTo: { plural: 'pods', subresource: 'binding' } } : {}),
    ...(conversion ? { conversion } : {}),
  };
}

/**
 * Every built-in resource, in discovery order.
 * @param answers of the kinds that are questions; default those of a server that lets everybody do everything
 */
export function builtinResources(
  answers: ReviewAnswers = openReviews,
  options: BuiltinOptions = {},
): readonly ResourceInfo[] {
  return resourceTable.map((row) => resourceOf(row, answers, options));
}
