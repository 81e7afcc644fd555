import type { Side, Vantage } from '../observation/observation';
import type { EpochMs } from '../xds/units';

/** What ended a NACK. */
export type Resolution =
  /** The client took the resource: this version of it, with this body (null: not reported). */
  | { readonly kind: 'accepted'; readonly versionInfo: string; readonly hash: string | null }
  /** It is no longer there to be rejected: removed by the server, or asked for no longer. */
  | { readonly kind: 'removed' }
  /** Nobody hears of the client any more. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** The client rejects the resource for another reason now: the group with this id. */
  | { readonly kind: 'rejected-otherwise'; readonly groupId: string };

/** Which source reported it, and how often. */
export interface ReportedBy {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly side: Side;
  versionInfo: string;
  /** As the client says; null: it does not. */
  attemptAt: EpochMs | null;
  times: number;
}

/** What the same response brought that was taken nevertheless. */
export interface AcceptedBeside {
  /** The first ones of those that were new to the client. */
  readonly names: string[];
  total: number;
}

/** One client's part in a group. MUTABLE: NackIndex keeps it up. */
export interface ClientRejection {
  readonly clientId: string;
  firstAt: EpochMs;
  lastAt: EpochMs;
  /** Place of the newest NACK in the log. */
  seq: number;
  /** The rejected version, the newest one; empty when no source reports. */
  versionInfo: string;
  /** The body that is called the rejected one, and who calls it so: some clients tell the last good one in CSDS. */
  failed: { readonly hash: string; readonly vantage: Vantage } | null;
  /** What the client had accepted before, and has in use; null: nothing, or not reported. */
  good: { readonly versionInfo: string; readonly hash: string | null } | null;
  /** By source: the wire and CSDS may report the same one. */
  readonly reportedBy: Map<string, ReportedBy>;
  /** null: no source reports the response as a whole. */
  accepted: AcceptedBeside | null;
  /** null: the client rejects it still. */
  ended: { readonly at: EpochMs; readonly seq: number; readonly by: Resolution } | null;
}

/** Equal NACKs: same type, same resource, same text, of any client at any time. MUTABLE: NackIndex keeps it up. */
export interface NackGroup {
  /** The same for the same key, in every process. */
  readonly id: string;
  readonly typeUrl: string;
  /** Empty where the text names none. */
  readonly name: string;
  /** As a client said it most lately; empty where only a control plane says that something is rejected. */
  text: string;
  firstAt: EpochMs;
  lastAt: EpochMs;
  readonly clients: Map<string, ClientRejection>;
  /** Clients that fell out: there were more than are kept. */
  clientsLeftOut: number;
}

/** By the source that reported it most often: two vantages report one NACK twice. */
export function timesOf({ reportedBy }: ClientRejection): number {
  return Math.max(...[...reportedBy.values()].map(({ times }) => times));
}

export function isOpen({ clients }: NackGroup): boolean {
  for (const { ended } of clients.values()) if (ended === null) return true;
  return false;
}
