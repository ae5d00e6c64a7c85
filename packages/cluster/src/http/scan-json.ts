import { endOfString } from '../apiserver/request/json-keys.ts';

/** What one pass over a valid JSON text shows. */
export interface JsonScan {
  /** Keys in all objects, repeated ones too. */
  readonly keys: number;
  /** Whether a number is written with a fraction, an exponent, a negative zero, or more digits than a double holds for sure. */
  readonly literalNumbers: boolean;
}

/** Fewer digits always fit a double exactly. */
const longDigits = 16;

export function scanJson(text: string): JsonScan {
  let keys = 0;
  let literalNumbers = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i) - 1;
    else if (code === 0x3a) keys++;
    else if (code === 0x2d || isDigit(code)) {
      const end = endOfDigits(text, i + 1);
      literalNumbers ||=
        end - i >= longDigits || isMore(text.charCodeAt(end)) || (code === 0x2d && text[i + 1] === '0');
      i = end - 1;
    }
  }
  return { keys, literalNumbers };
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** A point or an exponent. */
const isMore = (code: number): boolean => code === 0x2e || code === 0x65 || code === 0x45;

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}
