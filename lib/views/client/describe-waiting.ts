import { formatCount } from '../../format/count';
import { formatMiddleCut } from '../../format/middle-cut';
import { formatElapsed } from '../../format/time-ago';
import { formatVisible } from '../../format/visible-text';
import type { Waiting } from '../../observation/find-waiting';
import type { ResourceKey } from '../../observation/resource-state';
import { formatResourceType, SDS } from '../../xds/resource-type';
import type { WaitingSummary } from './schema';

const namesMost = 3;
const nameChars = 64;

/** "warming for 2 min 10 s: waits for EDS cluster-b", "v7 sent 40 s ago, no answer". `elapsedMs` undefined: not known. */
export function describeWaiting(
  { state, versionInfo, waitsFor }: Omit<Waiting<unknown>, 'since'>,
  { typeUrl }: Pick<ResourceKey, 'typeUrl'>,
  elapsedMs: number | undefined,
): string {
  const elapsed = elapsedMs === undefined ? undefined : formatElapsed(elapsedMs);
  if (state === 'NO_ANSWER') {
    const version = versionInfo === '' ? '' : `${formatMiddleCut(formatVisible(versionInfo), nameChars)} `;
    return `${version}sent${elapsed === undefined ? '' : ` ${elapsed} ago`}, no answer`;
  }
  return `warming${elapsed === undefined ? '' : ` for ${elapsed}`}: ${describeWaitsFor(waitsFor, typeUrl)}`;
}

function describeWaitsFor(waitsFor: readonly ResourceKey[], typeUrl: string): string {
  if (waitsFor.length === 0) {
    // A secret depends on no other resource.
    return typeUrl === SDS.typeUrl ? 'not received yet' : 'what it waits for is not reported';
  }
  const names = waitsFor.slice(0, namesMost).map(describeResource);
  const more = waitsFor.length - names.length;
  return `waits for ${names.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}

/**
 * Describes the longest wait of a client, as in "CDS a warming for 2 min 10 s: waits for EDS a", with the number of
 * other resources that wait.
 */
export function describeWaitingSummary(summary: WaitingSummary, elapsedMs: number | undefined): string {
  const { resources, state } = summary;
  const text = describeWaiting(summary, summary, elapsedMs);
  const longest = `${describeResource(summary)}${state === 'NO_ANSWER' ? ': ' : ' '}${text}`;
  return resources === 1 ? longest : `${longest} (and ${formatCount(resources - 1)} more)`;
}

function describeResource({ typeUrl, name }: ResourceKey): string {
  return `${formatResourceType(typeUrl)} ${formatMiddleCut(formatVisible(name), nameChars)}`.trimEnd();
}
