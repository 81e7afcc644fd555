import { z } from 'zod';
import { type FailoverChange, failoverChange, maxChanges } from './failover';

/** What is done in a simulation, as the URL holds it: JSON in the API's terms. Unknown members are left out. */
export function parseChangesText(text: string): FailoverChange[] {
  const parsed = z.array(z.unknown()).safeParse(parseJson(text));
  if (!parsed.success) return [];
  return parsed.data.slice(0, maxChanges).flatMap((each) => {
    const change = failoverChange.safeParse(each);
    return change.success ? [change.data] : [];
  });
}

export function formatChangesText(changes: readonly FailoverChange[]): string {
  return changes.length === 0 ? '' : JSON.stringify(changes);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** With one more: what was done to the same one in the same second is done no longer. */
export function addChange(changes: readonly FailoverChange[], change: FailoverChange): FailoverChange[] {
  const others = changes.filter((each) => subjectOf(each) !== subjectOf(change));
  return [...others, change].slice(-maxChanges);
}

function subjectOf(change: FailoverChange): string {
  const { kind, at } = change;
  if (kind === 'factor') return JSON.stringify([kind, at]);
  const { priority, locality, address } = change.target;
  return JSON.stringify([kind, at, priority, locality, address]);
}
