import type { ControlPlanes } from '@/lib/views/control-planes/schema';
import type { ControlPlaneWatch } from '../../live/control-planes/control-plane-watch';
import type { Clock } from '../../observe';

interface ControlPlanesApiOptions {
  readonly clock: Clock;
  readonly controlPlanes: ControlPlaneWatch;
}

const breaksShown = 20;
const endsShown = 10;

/** What probes and taps recorded of control planes. */
export async function listControlPlanes({
  clock,
  controlPlanes,
}: ControlPlanesApiOptions): Promise<ControlPlanes> {
  const fold = await controlPlanes.read();
  return {
    items: fold.report().map(({ breaks, ends, identifiers, ...report }) => ({
      ...report,
      identifiers: [...identifiers],
      broken: breaks.length,
      brokenAtClients: breaks.filter(({ isOfProbe }) => !isOfProbe).length,
      felt: breaks.filter(({ isFelt }) => isFelt).length,
      breaks: breaks.slice(0, breaksShown),
      ends: ends.slice(0, endsShown),
    })),
    differences: fold.differences(clock.now()).map((difference) => ({
      ...difference,
      servers: [...difference.servers],
      versions: [...difference.versions],
      onlyFirst: [...difference.onlyFirst],
      onlySecond: [...difference.onlySecond],
      differing: [...difference.differing],
    })),
    since: controlPlanes.since,
    notes: [
      ...(controlPlanes.isComplete ? [] : ['The log has more than was read so far: the rest is being read.']),
      ...(fold.isWhole ? [] : ['There were more than 1,000 streams at a time: the others are not followed.']),
    ],
  };
}
