/**
 * Refuses what should be a function and is none, or one that answers later where the answer is needed at once.
 * @param what whose option it is, as people call it: `owns of widget`
 * @param value what was given; absent is fine
 * @param atOnce an async function will not do: its promise is no answer. Default false
 * @throws TypeError naming the option
 */
export function checkFunction(what: string, option: string, value: unknown, atOnce = false): void {
  if (value === undefined) return;
  if (typeof value !== 'function') {
    throw new TypeError(`${what}: "${option}" is ${value === null ? 'null' : `a ${typeof value}`}; give a function`);
  }
  if (atOnce && value.constructor.name === 'AsyncFunction') {
    throw new TypeError(
      `${what}: "${option}" is an async function; it has to answer at once, so give one that does not wait`,
    );
  }
}
