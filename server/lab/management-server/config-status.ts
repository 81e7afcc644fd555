import type { ConfigStatus } from '@/lib/xds/status';
import type { EpochMs } from '@/lib/xds/units';
import { coveredByAlias } from './covered-resources';
import type { Delivery } from './delivery';
import { anyOf, type NodeMessage } from './discovery-messages';
import type { ResourceView } from './snapshot-store';
import type { TypeDeliveries } from './type-deliveries';

/** A protobufjs ClientConfig.GenericXdsConfig. */
export interface GenericXdsConfigMessage {
  typeUrl: string;
  name: string;
  configStatus: number;
  versionInfo?: string;
  xdsConfig?: { type_url: string; value: Uint8Array };
  lastUpdated?: { seconds: number; nanos: number };
  errorState?: {
    details: string;
    versionInfo: string;
    lastUpdateAttempt: { seconds: number; nanos: number };
  };
}

/** envoy.service.status.v3.ConfigStatus. */
const numbers: Record<ConfigStatus, number> = { UNKNOWN: 0, SYNCED: 1, NOT_SENT: 2, STALE: 3, ERROR: 4 };

/** SYNCED is "sent and accepted", STALE "sent, no answer yet", ERROR "rejected", NOT_SENT everything else. */
export function configStatusOf(delivery: Delivery | undefined): ConfigStatus {
  if (delivery === undefined) return 'NOT_SENT';
  const { kind } = delivery.verdict;
  return kind === 'accepted' ? 'SYNCED' : kind === 'rejected' ? 'ERROR' : 'STALE';
}

/**
 * Returns the view of the control plane of one node: every resource to which its streams subscribe, whether it exists
 * or not. If two streams of a node have the same resource, the worse status is used.
 */
export function buildClientConfig(
  node: NodeMessage,
  types: readonly TypeDeliveries[],
  viewOf: (typeUrl: string) => ResourceView,
  options: { excludeContents: boolean },
): { node: NodeMessage; genericXdsConfigs: GenericXdsConfigMessage[] } {
  const rows = new Map<string, GenericXdsConfigMessage>();
  for (const { typeUrl, subscription, deliveries } of types) {
    const covered = coveredByAlias(subscription, viewOf(typeUrl));
    const aliases = new Set(covered.flatMap((each) => each.aliases ?? []));
    const requested = [...subscription.names].filter((name) => !aliases.has(name));
    for (const name of new Set([...covered.map((each) => each.name), ...requested, ...deliveries.keys()])) {
      const row = rowOf(typeUrl, name, deliveries.get(name), options);
      const key = `${typeUrl}\u0000${name}`;
      const other = rows.get(key);
      if (other === undefined || other.configStatus < row.configStatus) rows.set(key, row);
    }
  }
  return { node, genericXdsConfigs: [...rows.values()] };
}

function rowOf(
  typeUrl: string,
  name: string,
  delivery: Delivery | undefined,
  { excludeContents }: { excludeContents: boolean },
): GenericXdsConfigMessage {
  const row: GenericXdsConfigMessage = { typeUrl, name, configStatus: numbers[configStatusOf(delivery)] };
  if (delivery === undefined) return row;
  const { versionInfo, sentAt, resource, verdict } = delivery;
  row.versionInfo = versionInfo;
  row.lastUpdated = timestampOf(sentAt);
  if (!excludeContents) row.xdsConfig = anyOf(resource);
  if (verdict.kind === 'rejected') {
    row.errorState = { details: verdict.details, versionInfo, lastUpdateAttempt: timestampOf(verdict.at) };
  }
  return row;
}

function timestampOf(at: EpochMs): { seconds: number; nanos: number } {
  const seconds = Math.floor(at / 1000);
  return { seconds, nanos: Math.round((at - seconds * 1000) * 1e6) };
}
