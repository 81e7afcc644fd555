import { findRejectedNames } from '@/lib/nacks/find-rejected-names';
import type { EpochMs } from '@/lib/xds/units';
import type { StoredResource } from './snapshot-store';

/** What the client answered to the response that carried a resource. */
export type Verdict =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly details: string; readonly at: EpochMs };

/** A resource as it was last sent on one stream: the nonce bookkeeping behind the server's own CSDS. */
export interface Delivery {
  readonly resource: StoredResource;
  /** The version that was reported with it: the type's in state of the world, its own in delta. */
  readonly versionInfo: string;
  readonly nonce: string;
  /** Which one it was in the response of that nonce, from 0 on: some clients say no more of what they reject. */
  readonly place: number;
  /** When these contents were first sent. */
  readonly sentAt: EpochMs;
  readonly verdict: Verdict;
}

/**
 * Contents that the client has accepted before stay accepted when a later response repeats them: a NACK of that
 * response is about something else in it.
 */
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

/** What a client said of a response. */
export interface Answer {
  readonly nonce: string;
  /** null: it accepts all of it. */
  readonly errorDetail: string | null;
  readonly at: EpochMs;
  /** envoy.config.core.v3.Node.user_agent_name: which clients take the good part of what they reject is known. */
  readonly userAgentName: string;
  /** State of the world: the version that it names as its own is that of the response that it rejects. */
  readonly movesVersion: boolean;
}

/**
 * Deliveries after an answer. To xDS a NACK rejects the whole response; gRFC A46 has clients take its good part, and say
 * in words which part is bad. Where those words and the client leave no doubt the rest counts as accepted, else all of
 * it as rejected.
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

/** Which names of a rejected response were accepted nevertheless. */
function partOf(
  inResponse: readonly (readonly [name: string, delivery: Delivery])[],
  { errorDetail, userAgentName, movesVersion }: Answer & { readonly errorDetail: string },
): (name: string) => boolean {
  // Whoever was dropped since leaves its place empty.
  const most = Math.max(-1, ...inResponse.map(([, { place }]) => place));
  const names = Array.from({ length: most + 1 }, (): string | null => null);
  for (const [name, { place }] of inResponse) names[place] = name;
  const { rejected, others } = findRejectedNames({ names, errorDetail, userAgentName, movesVersion });
  return (name) => others === 'accepted' && !rejected.has(name);
}
