/** Characters of all warnings of an answer; with more than that in all, each is cut. */
const mostInAll = 4_096;
const mostOfEach = 256;

interface Recorded {
  /** As they were given. */
  readonly texts: string[];
  length: number;
  cutting: boolean;
}

const recorded = new WeakMap<string[], Recorded>();

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header cannot have them
const unprintable = /[\u0000-\u001f\u007f-\u009f]/;

function cut(text: string): string {
  const runes = [...text];
  return runes.length > mostOfEach ? runes.slice(0, mostOfEach).join('') : text;
}

function push(warnings: string[], state: Recorded, text: string): void {
  state.length += [...text].length;
  warnings.push(text);
}

/**
 * Adds a warning to those of an answer, once. When they become too long together, all of them are cut, and then none is added
 * beyond the limit. What cannot be said in a header is left out.
 */
export function addWarning(warnings: string[], text: string): void {
  if (text === '') return;
  const state = recorded.get(warnings) ?? { texts: [...warnings], length: warnings.join('').length, cutting: false };
  recorded.set(warnings, state);
  if ((state.cutting && state.length >= mostInAll) || state.texts.includes(text)) return;
  state.texts.push(text);
  if (unprintable.test(text)) return;
  const own = state.cutting ? cut(text) : text;
  if (state.cutting || state.length + [...own].length <= mostInAll) {
    push(warnings, state, own);
    return;
  }
  state.cutting = true;
  state.length = 0;
  warnings.length = 0;
  for (const one of state.texts) if (!unprintable.test(one)) push(warnings, state, cut(one));
}
