import { SelectorError } from './selector.ts';

/** `field = value`, or `!=` when `equal` is false. */
export interface FieldTerm {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** Terms that must all hold; none: everything matches. */
export type FieldSelector = readonly FieldTerm[];

/** Reads `metadata.name=web-0,status.phase!=Running`. `\\`, `\,` and `\=` stand for themselves. @throws SelectorError */
export function parseFieldSelector(text: string): FieldSelector {
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text)) {
    if (part === '') continue;
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
    if (!match) throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`);
    terms.push({ field: match[1] ?? '', equal: match[2] !== '!=', value: unescapeValue(match[3] ?? '') });
  }
  return terms;
}

/** A selector out of equality pairs: `{ 'spec.nodeName': 'n1' }`. @throws SelectorError for what names no field or no text */
export function fieldSelectorFrom(fields: Readonly<Record<string, string>>): FieldSelector {
  return Object.entries(fields).map(([field, value]) => {
    if (!fieldPath.test(field)) {
      throw new SelectorError(
        `${JSON.stringify(field)} is no field: write its path without a dot before it, as spec.nodeName`,
      );
    }
    if (typeof value !== 'string') {
      throw new SelectorError(
        `the value of field ${JSON.stringify(field)} is no text: field selectors are equality pairs of texts`,
      );
    }
    return { field, equal: true, value };
  });
}

/** Names between dots; annotations and labels are no fields that can be selected, and neither are items of lists. */
const fieldPath = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/** The selector in Kubernetes' notation. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ field, equal, value }) => `${field}${equal ? '=' : '!='}${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',');
}

/** Whether all terms hold. @param fieldValue gives the value of a field; `''` when it is not set */
export function matchesFields(selector: FieldSelector, fieldValue: (field: string) => string): boolean {
  return selector.every(({ field, equal, value }) => (fieldValue(field) === value) === equal);
}

function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  return text.replace(/\\(.?)|[,=]/gs, (whole, escaped: string | undefined) => {
    if (escaped === undefined)
      throw new SelectorError(`invalid field selector: unescaped character in value: ${whole.charCodeAt(0)}`);
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${whole}`);
    }
    return escaped;
  });
}
