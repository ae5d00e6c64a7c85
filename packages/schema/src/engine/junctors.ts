import type { SchemaNode } from '../node.ts';
import type { Check } from './check.ts';
import { quote } from './go-text.ts';
import type { Report } from './report.ts';
import type { Validator } from './validator.ts';

/** `anyOf`, `oneOf`, `allOf` and `not`, in the server's order. */
export function junctorCheck(validator: Validator, node: SchemaNode): Check | undefined {
  const checks: Check[] = [];
  if (node.anyOf?.length) checks.push(anyOf(node.anyOf.map((branch) => validator.check(branch))));
  if (node.oneOf?.length) checks.push(oneOf(node.oneOf.map((branch) => validator.check(branch))));
  if (node.allOf?.length) checks.push(allOf(node.allOf.map((branch) => validator.check(branch))));
  if (node.not) checks.push(not(validator.check(node.not)));
  const [only] = checks;
  if (checks.length <= 1) return only;
  return (value, report) => {
    let valid = true;
    for (const check of checks) {
      if (check(value, report)) continue;
      if (!report) return false;
      valid = false;
    }
    return valid;
  };
}

function anyOf(branches: readonly Check[]): Check {
  return (value, report) => {
    if (!report) {
      for (const branch of branches) if (branch(value, undefined)) return true;
      return false;
    }
    let best: Report | undefined;
    for (const branch of branches) {
      const result = evaluate(branch, value, report);
      if (result.valid) {
        report.merge(result);
        return true;
      }
      if (!best || result.matches > best.matches) best = result;
    }
    report.unplaced(`${quote(report.path)} must validate at least one schema (anyOf)`);
    if (best) report.merge(best);
    return false;
  };
}

function oneOf(branches: readonly Check[]): Check {
  return (value, report) => {
    if (!report) {
      let valid = 0;
      for (const branch of branches) if (branch(value, undefined)) valid += 1;
      return valid === 1;
    }
    const results = branches.map((branch) => evaluate(branch, value, report));
    const passed = results.filter((result) => result.valid);
    if (passed.length === 1) {
      for (const result of passed) report.merge(result);
      return true;
    }
    const found = passed.length === 0 ? 'Found none valid' : `Found ${passed.length} valid alternatives`;
    report.unplaced(`${quote(report.path)} must validate one and only one schema (oneOf). ${found}`);
    const failed = results.filter((result) => !result.valid);
    if (passed.length === 0) for (const result of closest(failed)) report.merge(result);
    return false;
  };
}

/** The failure with most matches, the first of equals. */
function closest(results: readonly Report[]): readonly Report[] {
  const most = Math.max(...results.map(({ matches }) => matches));
  return results.filter(({ matches }) => matches === most).slice(0, 1);
}

function allOf(branches: readonly Check[]): Check {
  return (value, report) => {
    if (!report) {
      for (const branch of branches) if (!branch(value, undefined)) return false;
      return true;
    }
    let passed = 0;
    for (const branch of branches) {
      const result = evaluate(branch, value, report);
      if (result.valid) passed += 1;
      report.merge(result);
    }
    if (passed === branches.length) return true;
    const none = passed === 0 ? '. None validated' : '';
    return report.unplaced(`${quote(report.path)} must validate all the schemas (allOf)${none}`);
  };
}

function not(branch: Check): Check {
  return (value, report) => {
    if (!report) return !branch(value, undefined);
    if (!evaluate(branch, value, report).valid) return true;
    return report.unplaced(`${quote(report.path)} must not validate the schema (not)`);
  };
}

function evaluate(branch: Check, value: unknown, report: Report): Report {
  const result = report.branch();
  branch(value, result);
  return result;
}
