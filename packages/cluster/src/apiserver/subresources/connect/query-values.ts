import { badRequest } from '@coxswain/runtime/core';
import type { ApiRequest } from '../../types.ts';

/** All values of a query key, in their order. */
export function valuesOf(request: ApiRequest, key: string): readonly string[] {
  const first = request.query?.[key];
  return request.repeated?.[key] ?? (first === undefined ? [] : [first]);
}

/** Everything but `0` and `false` is true, the empty text too; absent is false. */
export function flag(request: ApiRequest, key: string): boolean {
  const text = request.query?.[key];
  return text !== undefined && text !== '0' && text.toLowerCase() !== 'false';
}

const int64Limit = 2n ** 63n;

/** A whole number of 64 bits. @throws ApiError BadRequest */
export function wholeNumber(request: ApiRequest, key: string): number | undefined {
  const text = request.query?.[key];
  if (text === undefined) return undefined;
  const refuse = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) throw refuse('invalid syntax');
  const exact = BigInt(text.replace('+', ''));
  if (exact >= int64Limit || exact < -int64Limit) throw refuse('value out of range');
  return Number(exact);
}

/** Port numbers: several keys, and several in each with commas between. @throws ApiError BadRequest */
export function portNumbers(request: ApiRequest, key: string): number[] {
  return valuesOf(request, key)
    .flatMap((text) => text.split(','))
    .map((text) => {
      const refuse = (why: string) =>
        badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
      if (!/^\d+$/.test(text)) throw refuse('invalid syntax');
      if (Number(text) > 65_535) throw refuse('value out of range');
      return Number(text);
    });
}
