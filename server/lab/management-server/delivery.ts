import { findRejectedNames } from '@/lib/nacks/find-rejected-names';
import type { EpochMs } from '@/lib/xds/units';
import type { StoredResource } from './snapshot-store';

/** The client's answer to the response that carried a resource. */
type Verdict =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly details: string; readonly at: EpochMs };

/** A resource as it was last sent on one stream. This is the basis of the server's own CSDS. */
export interface Delivery {
  readonly resource: StoredResource;
  /** The version that was sent with it: the version of the type in state of the world, its own in delta. */
  readonly versionInfo: string;
  readonly nonce: string;
  /** Index of the resource in the response with that nonce. Some clients identify rejected resources only by index. */
  readonly place: number;
  /** The time at which these contents were first sent. */
  readonly sentAt: EpochMs;
  readonly verdict: Verdict;
}

/** Accepted contents remain accepted when a response repeats them: its NACK is then about another resource. */
export function deliver(
  before: Delivery | undefined,
  now: { resource: StoredResource; versionInfo: string; nonce: string; place: number; at: EpochMs },
): Delivery {
  const { resource, versionInfo, nonce, place, at } = now;
  if (before?.resource === resource && before.verdict.kind === 'accepted') {
    return { ...before, versionInfo, nonce, place };
  }
  return { resource, versionInfo, nonce, place, sentAt: at, verdict: { kind: 'awaited' } };
}

interface Answer {
  readonly nonce: string;
  /** null if the client accepts the whole response. */
  readonly errorDetail: string | null;
  readonly at: EpochMs;
  /** Node.user_agent_name. It determines whether the client uses the good part of a rejected response. */
  readonly userAgentName: string;
  /** State of the world: the client reports the version of the response that it rejects. */
  readonly movesVersion: boolean;
}

/**
 * Returns the deliveries after an answer. In xDS a NACK rejects the whole response; with gRFC A46 clients use the good
 * part and name the bad part in the error message. If the message and the client leave no doubt, the other resources
 * count as accepted, else everything counts as rejected.
 */
export function validate(
  deliveries: ReadonlyMap<string, Delivery>,
  answer: Answer,
): ReadonlyMap<string, Delivery> {
  const { nonce, errorDetail, at } = answer;
  const inResponse = [...deliveries].filter(([, delivery]) => delivery.nonce === nonce);
  const accepts = errorDetail === null ? () => true : partOf(inResponse, { ...answer, errorDetail });
  const validated = new Map(deliveries);
  for (const [name, delivery] of inResponse) {
    if (delivery.verdict.kind !== 'awaited') continue;
    const verdict: Verdict =
      errorDetail === null || accepts(name)
        ? { kind: 'accepted' }
        : { kind: 'rejected', details: errorDetail, at };
    validated.set(name, { ...delivery, verdict });
  }
  return validated;
}

/** Returns the names of a rejected response that were nevertheless accepted. */
function partOf(
  inResponse: readonly (readonly [name: string, delivery: Delivery])[],
  { errorDetail, userAgentName, movesVersion }: Answer & { readonly errorDetail: string },
): (name: string) => boolean {
  // Resources that were unsubscribed since then leave gaps.
  const most = Math.max(-1, ...inResponse.map(([, { place }]) => place));
  const names = Array.from({ length: most + 1 }, (): string | null => null);
  for (const [name, { place }] of inResponse) names[place] = name;
  const { rejected, others } = findRejectedNames({ names, errorDetail, userAgentName, movesVersion });
  return (name) => others === 'accepted' && !rejected.has(name);
}
