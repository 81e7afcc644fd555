import { itemsPerStep, type Steps } from './steps';

/**
 * Returns the JSON of plain data as of the first step. Lists among its members are written in steps. Precondition: items do
 * not change between steps; lists may.
 */
export function* stringifyInSteps(value: object): Steps<string> {
  const members: string[] = [];
  const entries: [string, unknown][] = Object.entries(value);
  const now = entries.map(([key, member]) => [key, Array.isArray(member) ? [...member] : member] as const);
  for (const [key, member] of now) {
    const text = Array.isArray(member) ? yield* stringifyList(member) : JSON.stringify(member);
    // A member that is undefined is left out.
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

function* stringifyList(items: readonly unknown[]): Steps<string> {
  const parts: string[] = [];
  for (let from = 0; from < items.length; from += itemsPerStep) {
    parts.push(JSON.stringify(items.slice(from, from + itemsPerStep)).slice(1, -1));
    yield;
  }
  return `[${parts.join(',')}]`;
}
