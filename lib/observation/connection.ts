import type * as z from 'zod';
import type { connection } from './connection-schemas';
import type { ReadonlyDeep } from './readonly-deep';

export type Connection = ReadonlyDeep<z.infer<typeof connection>>;
export type ConnectionFigures = NonNullable<Connection['figures']>;
export type HostFigures = NonNullable<ConnectionFigures['ofHost']>;

/** The channels, subchannels and listeners that changed. Counts alone are not a change. */
export interface ConnectionChanges {
  readonly connections: readonly Connection[];
  readonly endedIds: readonly string[];
  /** These are all that there are: earlier ones that are not among them have ended. */
  readonly isComplete?: true;
}

/** The connections after the changes, in the order in which they were first reported. */
export function applyConnectionChanges(
  known: readonly Connection[],
  { connections, endedIds, isComplete }: ConnectionChanges,
): readonly Connection[] {
  const earlier = new Map(known.map((each) => [each.id, each]));
  const next = isComplete === true ? new Map<string, Connection>() : new Map(earlier);
  for (const id of endedIds) next.delete(id);
  for (const each of connections) next.set(each.id, keepBegin(each, earlier.get(each.id)));
  return [...next.values()];
}

/** A poller that was restarted does not know when a state began, which the log does. */
function keepBegin(now: Connection, before: Connection | undefined): Connection {
  if (before === undefined || before.state !== now.state || before.target !== now.target) return now;
  if (now.isSinceFirstPoll !== true) return now;
  const { isSinceFirstPoll: _, ...rest } = now;
  const failingSince = before.failingSince ?? now.failingSince;
  return {
    ...rest,
    since: before.since,
    ...(before.isSinceFirstPoll === true && { isSinceFirstPoll: true as const }),
    ...(failingSince !== undefined && now.failingSince !== undefined && { failingSince }),
  };
}
