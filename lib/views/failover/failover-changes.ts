import { type Change, maxChanges } from '../../lb/simulator/change';
import { endpointConditions } from '../../lb/simulator/endpoint-condition';

/**
 * Parses the changes of a simulation in a URL, which are JSON of the API. Invalid changes are left out; the server checks
 * upper limits.
 */
export function parseChangesText(text: string): Change[] {
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? parsed.slice(0, maxChanges).filter(isChange) : [];
}

function isChange(value: unknown): value is Change {
  if (!isObject(value) || !isCount(value.at)) return false;
  if (value.kind === 'factor') return isCount(value.percent);
  if (!isTarget(value.target)) return false;
  if (value.kind === 'weight') return isCount(value.weight);
  return value.kind === 'condition' && endpointConditions.some((condition) => condition === value.to);
}

function isTarget(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { priority, locality, address } = value;
  const areTexts = [locality, address].every((text) => text === undefined || typeof text === 'string');
  return areTexts && (priority === undefined || isCount(priority));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

export function formatChangesText(changes: readonly Change[]): string {
  return changes.length === 0 ? '' : JSON.stringify(changes);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Adds a change, which replaces that of the same target and second. */
export function addChange(changes: readonly Change[], change: Change): Change[] {
  const others = changes.filter((each) => subjectOf(each) !== subjectOf(change));
  return [...others, change].slice(-maxChanges);
}

function subjectOf(change: Change): string {
  const { kind, at } = change;
  if (kind === 'factor') return JSON.stringify([kind, at]);
  const { priority, locality, address } = change.target;
  return JSON.stringify([kind, at, priority, locality, address]);
}
