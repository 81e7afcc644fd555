import type { Side, Vantage } from '../observation/observation';
import type { EpochMs } from '../xds/units';

export type Resolution =
  /** The client accepted this version of the resource; `hash` is null if the body is not reported. */
  | { readonly kind: 'accepted'; readonly versionInfo: string; readonly hash: string | null }
  /** The resource was removed by the server, or the client unsubscribed from it. */
  | { readonly kind: 'removed' }
  /** The client rejects the resource for another reason, in the group with this id. */
  | { readonly kind: 'rejected-otherwise'; readonly groupId: string };

export interface ReportedBy {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly side: Side;
  versionInfo: string;
  /** The time that the client reports; null if it does not. */
  attemptAt: EpochMs | null;
  times: number;
  /** The position of the newest report in the log. */
  seq: number;
}

export interface AcceptedBeside {
  /** The first names of resources that were new to the client. */
  readonly names: string[];
  total: number;
}

export const nackStates = ['open', 'resolved'] as const;
export type NackState = (typeof nackStates)[number];

/** One client of a group. MUTABLE: NackIndex updates it. */
export interface ClientRejection {
  readonly clientId: string;
  firstAt: EpochMs;
  lastAt: EpochMs;
  seq: number;
  /** The newest rejected version; empty if it is not reported. */
  versionInfo: string;
  /** The rejected body and the vantage that reports it. Some clients report the last accepted body in CSDS instead. */
  failed: { readonly hash: string; readonly vantage: Vantage } | null;
  /** The accepted version, which is in effect; null if there is none, or it is not reported. */
  good: { readonly versionInfo: string; readonly hash: string | null } | undefined;
  /** The reports by source ID. Streams and CSDS may report the same NACK. */
  readonly reportedBy: Map<string, ReportedBy>;
  /** null if no source reports the whole response. */
  accepted: AcceptedBeside | null;
  /** The end of the NACK and what resolved it; null if it was not resolved. */
  ended: { readonly at: EpochMs; readonly seq: number; readonly by: Resolution } | undefined;
  /**
   * The time since which no source reports the client, or at which it restarted, which resolves nothing; null while a
   * source reports it.
   */
  gone: { readonly at: EpochMs; readonly seq: number; readonly reason: string } | undefined;
}

/** NACKs of any client at any time with equal type, resource and text. MUTABLE: NackIndex updates it. */
export interface NackGroup {
  /** Derived from the key, and the same in every process. */
  readonly id: string;
  readonly typeUrl: string;
  /** Empty if the text names no resource. */
  readonly name: string;
  /** The newest error text; empty if only a control plane reports the rejection, without a text. */
  text: string;
  firstAt: EpochMs;
  lastAt: EpochMs;
  readonly clients: Map<string, ClientRejection>;
  /** The number of clients beyond the limit, which were evicted. */
  clientsLeftOut: number;
}

/** The count of the source that reported most, since two vantages may report the same NACK. */
export function timesOf({ reportedBy }: ClientRejection): number {
  return Math.max(...[...reportedBy.values()].map(({ times }) => times));
}

/** The NACK of a client that terminated stays open: nothing shows that its config was repaired. */
export function stateOfRejection({ ended }: Pick<ClientRejection, 'ended'>): NackState {
  return ended === undefined ? 'open' : 'resolved';
}

/** Resolved when all clients have resolved it. */
export function stateOfGroup({ clients }: NackGroup): NackState {
  return countOpen({ clients }).open > 0 ? 'open' : 'resolved';
}

/** The clients whose NACK is open, and how many of them terminated. */
export function countOpen({ clients }: Pick<NackGroup, 'clients'>): { open: number; terminated: number } {
  const counts = { open: 0, terminated: 0 };
  for (const { ended, gone } of clients.values()) {
    if (ended !== undefined) continue;
    counts.open += 1;
    if (gone !== undefined) counts.terminated += 1;
  }
  return counts;
}
