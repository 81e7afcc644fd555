import { by, inTurn } from '../collections/compare';
import type { ErrorPeriod } from './error-periods';

interface ClientErrors extends ErrorPeriod {
  readonly clients: readonly string[];
}

/** Requests that fail for one cause begin to fail within this time. */
const onsetMs = 3 * 60_000;

/**
 * Puts clusters together whose requests began to fail at about the same time at clients that they have in common, and that
 * both still fail, or both do no longer. Each group begins with the cluster that failed first.
 */
export function groupErrors<Errors extends ClientErrors>(found: readonly Errors[]): Errors[][] {
  const groups: Errors[][] = [];
  const sorted = found.toSorted(
    inTurn(
      by(({ from }) => from),
      by(({ clusterName }) => clusterName),
    ),
  );
  for (const each of sorted) {
    const group = groups.find(([first]) => first !== undefined && haveOneCause(first, each));
    if (group === undefined) groups.push([each]);
    else group.push(each);
  }
  return groups;
}

function haveOneCause(first: ClientErrors, other: ClientErrors): boolean {
  const areAlike =
    (first.to === undefined) === (other.to === undefined) && other.from - first.from <= onsetMs;
  return areAlike && first.clients.some((client) => other.clients.includes(client));
}
