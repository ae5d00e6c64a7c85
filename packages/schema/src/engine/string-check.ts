import { fieldError } from '../field-error.ts';
import type { SchemaNode } from '../node.ts';
import type { Check } from './check.ts';
import { matchesFormat } from './formats.ts';
import { quote } from './go-text.ts';
import { compilePattern } from './pattern.ts';
import { formatOf, typesOf } from './type-check.ts';

/** `maxLength`, `minLength`, `pattern`: the first that fails is reported. */
export function textCheck(node: SchemaNode): Check | undefined {
  const { maxLength, minLength, pattern } = node;
  if (maxLength === undefined && minLength === undefined && !pattern) return undefined;
  let compiled: ReturnType<typeof compilePattern> | undefined;
  return (value, report) => {
    const text = value as string;
    if (maxLength !== undefined && text.length > maxLength && runes(text) > maxLength) {
      const detail = `should be at most ${maxLength} chars long`;
      return report ? report.problem(detail, (field) => fieldError.tooLong(field, maxLength)) : false;
    }
    if (minLength !== undefined && runes(text) < minLength) {
      const detail = `should be at least ${minLength} chars long`;
      return report ? report.problem(detail, (field, body) => fieldError.invalid(field, text, body)) : false;
    }
    if (!pattern) return true;
    compiled ??= compilePattern(pattern);
    if (compiled.test(text)) return true;
    const source = compiled.error ? `${pattern}, but pattern is invalid: ${compiled.error}` : pattern;
    const detail = `should match '${source}'`;
    return report ? report.problem(detail, (field, body) => fieldError.invalid(field, text, body)) : false;
  };
}

export function formatCheck(node: SchemaNode): Check | undefined {
  const format = formatOf(node);
  if (format === undefined || typesOf(node).some((type) => type === 'integer' && !node['x-kubernetes-int-or-string'])) {
    return undefined;
  }
  const matches = matchesFormat(format);
  if (!matches) return undefined;
  return (value, report) => {
    const text = value as string;
    if (matches(text)) return true;
    const detail = `must be of type ${format}: ${quote(text)}`;
    return report ? report.problem(detail, (field, body) => fieldError.typeInvalid(field, text, body)) : false;
  };
}

/** Length in code points. */
function runes(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count -= 1;
      i += 1;
    }
  }
  return count;
}
