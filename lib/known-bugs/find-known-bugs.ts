import type { ResourceKey } from '../observation/resource-state';
import { findClient } from '../resolve/client-profile';
import { findClientRelease, isReleaseWithin } from '../xds/client-release';
import type { EpochMs } from '../xds/units';
import { type KnownBug, knownBugs } from './known-bugs';
import type { Evidence } from './symptom';

/** A known bug of the client's release, of which the client shows the symptom. */
interface Notice {
  readonly id: string;
  readonly title: string;
  readonly statement: string;
  readonly effect: KnownBug['effect'];
  readonly source: string;
  readonly since: EpochMs;
  readonly resources: readonly ResourceKey[];
}

interface UserAgent {
  readonly userAgentName: string;
  readonly userAgentVersion: string;
}

/** The bugs of the client's release. Each has a source. */
export function findBugsOf({
  userAgentName,
  userAgentVersion,
}: UserAgent): (KnownBug & { source: string })[] {
  const client = findClient(userAgentName);
  const release = findClientRelease(userAgentVersion);
  if (client === undefined || release === undefined) return [];
  return knownBugs.flatMap((bug) => {
    const affected = bug.clients.find(
      (each) => each.client === client && isReleaseWithin(release, each.releases),
    );
    return affected === undefined ? [] : [{ ...bug, source: affected.source }];
  });
}

export async function findKnownBugs(userAgent: UserAgent, evidence: Evidence): Promise<Notice[]> {
  const found = findBugsOf(userAgent).map(async ({ id, title, statement, effect, source, findSymptom }) => {
    const symptom = await findSymptom(evidence);
    return symptom === undefined ? [] : [{ id, title, statement, effect, source, ...symptom }];
  });
  return (await Promise.all(found)).flat();
}

/** A resource that the client has ACKed, and does not use because of a known bug. */
export interface UnusedResource extends ResourceKey {
  readonly reason: string;
  /** Set if the client may use an earlier payload of it. */
  readonly mayUseEarlier?: true;
}

export async function findUnused(userAgent: UserAgent, evidence: Evidence): Promise<UnusedResource[]> {
  const found = findBugsOf(userAgent).map(async ({ whyUnused, whyEarlier, findSymptom }) => {
    const reason = whyUnused ?? whyEarlier;
    const symptom = reason === undefined ? undefined : await findSymptom(evidence);
    if (reason === undefined || symptom === undefined) return [];
    const earlier = whyUnused === undefined ? { mayUseEarlier: true as const } : {};
    return symptom.resources.map(({ typeUrl, name }) => ({ typeUrl, name, reason, ...earlier }));
  });
  return (await Promise.all(found)).flat();
}
