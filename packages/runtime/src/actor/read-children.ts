import { isFields } from '../core/index.ts';
import { type Child, ChildrenError } from './child-plan.ts';

/**
 * What a `children` function answered, as a list of children.
 * @param whose the function and its object, as people are told: `` `children` of Site default/blog ``
 * @throws ChildrenError for anything that is not a list of what `child` makes
 */
export function readChildren(answer: unknown, whose: string): readonly Child[] {
  if (answer instanceof Promise) {
    // Nobody waits for it, so that its failure would end the process.
    answer.catch(() => undefined);
    throw new ChildrenError(
      `${whose} answered a Promise; it must answer at once, from what \`observed\` and stores show`,
    );
  }
  if (!Array.isArray(answer)) {
    throw new ChildrenError(
      `${whose} answered ${describe(answer)}; answer a list of child(kind, object), empty for none`,
    );
  }
  answer.forEach((one: unknown, index) => {
    if (isChild(one)) return;
    const fix = isFields(one)
      ? 'make it with child(kind, object)'
      : 'leave out what is not wanted: ...(wanted ? [child(kind, object)] : [])';
    throw new ChildrenError(`${whose} answered ${describe(one)} at index ${index}; ${fix}`);
  });
  return answer;
}

function isChild(value: unknown): value is Child {
  if (!isFields(value) || !isFields(value.kind) || !isFields(value.object)) return false;
  return isFields(value.object.metadata) && Array.isArray(value.after) && typeof value.ready === 'function';
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (!isFields(value)) return `a ${typeof value}`;
  const { kind, metadata } = value;
  const name = isFields(metadata) && metadata.name ? ` "${String(metadata.name)}"` : '';
  return typeof kind === 'string' && kind !== '' ? `the ${kind}${name} itself` : `an object${name}`;
}
