import type { EpochMs } from '@/lib/xds/units';
import type { StoredResource } from './snapshot-store';

/** What the client answered to the response that carried a resource. */
export type Verdict =
  | { readonly kind: 'awaited' }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly details: string; readonly at: EpochMs };

/** A resource as it was last sent on one stream: the nonce bookkeeping behind the server's own CSDS. */
export interface Delivery {
  readonly resource: StoredResource;
  /** The version that was told with it: the type's in state of the world, its own in delta. */
  readonly versionInfo: string;
  readonly nonce: string;
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
  now: { resource: StoredResource; versionInfo: string; nonce: string; at: EpochMs },
): Delivery {
  const { resource, versionInfo, nonce, at } = now;
  if (before?.resource === resource && before.verdict.kind === 'accepted') {
    return { ...before, versionInfo, nonce };
  }
  return { resource, versionInfo, nonce, sentAt: at, verdict: { kind: 'awaited' } };
}

/** Deliveries after the client answered `nonce`. An answer speaks for the whole response, xDS knows no finer word. */
export function judge(
  deliveries: ReadonlyMap<string, Delivery>,
  nonce: string,
  verdict: Verdict,
): ReadonlyMap<string, Delivery> {
  const judged = new Map(deliveries);
  for (const [name, delivery] of deliveries) {
    if (delivery.nonce === nonce && delivery.verdict.kind === 'awaited') {
      judged.set(name, { ...delivery, verdict });
    }
  }
  return judged;
}
