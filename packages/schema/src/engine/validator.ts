import { fieldError } from '../field-error.ts';
import { sameJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import { type Check, type Kind, kindOf, runChecks } from './check.ts';
import { marshalJson } from './go-text.ts';
import { junctorCheck } from './junctors.ts';
import { listCheck } from './list-check.ts';
import { numberCheck } from './number-check.ts';
import { objectCheck } from './object-check.ts';
import type { Deref } from './reference.ts';
import { formatCheck, textCheck } from './string-check.ts';
import { formatOf, reportType, typeMismatch, typesOf } from './type-check.ts';

/** Compiles nodes to checks, each node once. Nothing below a node is compiled before a value reaches it. */
export class Validator {
  readonly deref: Deref;
  readonly #checks = new WeakMap<SchemaNode, Check>();

  constructor(deref: Deref) {
    this.deref = deref;
  }

  check(node: SchemaNode): Check {
    let check = this.#checks.get(node);
    if (!check) {
      check = this.#compile(node);
      this.#checks.set(node, check);
    }
    return check;
  }

  #compile(reference: SchemaNode): Check {
    const plans: Partial<Record<Kind, Check>> = {};
    let nullCheck: Check | undefined;
    return (value, report) => {
      if (value === null || value === undefined) {
        nullCheck ??= nullPlan(this.deref(reference));
        return nullCheck(value, report);
      }
      const kind = kindOf(value);
      let plan = plans[kind];
      if (!plan) {
        plan = valuePlan(this, this.deref(reference), kind);
        plans[kind] = plan;
      }
      return plan(value, report);
    };
  }
}

function nullPlan(node: SchemaNode): Check {
  const types = typesOf(node);
  const refused = types.length > 0 && !node.nullable;
  const checks: Check[] = [];
  if (refused) checks.push((_, report) => (report ? reportType(report, types.join(','), 'null') : false));
  push(checks, enumCheck(node));
  return (value, report) => {
    if (report && !refused) report.matches += 1;
    return runChecks(checks, value, report);
  };
}

/** The checks that apply to one kind of value, in the order in which the server reports. */
function valuePlan(validator: Validator, node: SchemaNode, kind: Kind): Check {
  const checks: Check[] = [];
  // Checks that always pass still count as matches: type when there is none, combinators, enum, and the node itself.
  let matches = 3;
  const mismatch = typeMismatch(node, kind);
  if (typesOf(node).length > 0 || formatOf(node) !== undefined) matches += mismatch ? 1 : 2;
  if (mismatch) {
    checks.push((_, report) => (report ? reportType(report, mismatch.expected, mismatch.actual) : false));
  }
  push(checks, junctorCheck(validator, node));
  if (kind === 'string') {
    matches += 1;
    const format = formatCheck(node);
    if (format) matches += 1;
    push(checks, textCheck(node), format);
  }
  if (kind === 'integer' || kind === 'number') {
    matches += 2;
    push(checks, numberCheck(node, kind));
  }
  if (kind === 'array') {
    matches += 2;
    push(checks, listCheck(validator, node));
  }
  push(checks, enumCheck(node));
  if (kind === 'object') {
    matches += 1;
    push(checks, objectCheck(validator, node));
  }
  return (value, report) => {
    if (report) report.matches += matches + 1;
    return runChecks(checks, value, report);
  };
}

function push(checks: Check[], ...more: readonly (Check | undefined)[]): void {
  for (const check of more) if (check) checks.push(check);
}

/** A null in the list matches nothing: the server compares values, and null is none. */
function enumCheck(node: SchemaNode): Check | undefined {
  const values = node.enum;
  if (!values || values.length === 0) return undefined;
  const scalars = new Set<unknown>(values.filter((value) => value !== null));
  const names = values.map((value) => (typeof value === 'string' ? value : marshalJson(value)));
  return (value, report) => {
    if (scalars.has(value)) return true;
    if (typeof value === 'object' && value !== null && values.some((allowed) => sameJson(allowed, value))) return true;
    const detail = `should be one of [${names.join(' ')}]`;
    return report?.problem(detail, (field) => fieldError.notSupported(field, value ?? null, names)) ?? false;
  };
}
