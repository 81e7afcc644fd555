import { formatCount, formatCounted } from '../../format/count';
import { isImportedClient } from './is-imported-client';
import type { ClientDetail } from './schema';

interface SourcesSummary {
  /** `snapshot`: only files report the client, so that it is neither live nor stale. */
  readonly kind: 'snapshot' | ClientDetail['freshness'];
  /** "5 sources agree". */
  readonly text: string;
  /** A description of a problem of the reports; empty: there is none. */
  readonly warning: string;
}

type Described = Pick<
  ClientDetail,
  'freshness' | 'reports' | 'types' | 'duplicateNodeId' | 'processes' | 'sync'
>;

/**
 * Describes on one line which sources report the client. Sources agree if there is a control plane among them that
 * reports everything as SYNCED; without one there is nothing to compare.
 */
export function describeSources(client: Described): SourcesSummary {
  const { reports, freshness } = client;
  if (isImportedClient(client))
    return {
      kind: 'snapshot',
      text: reports.length > 1 ? formatCounted(reports.length, 'file') : '',
      warning: '',
    };
  const live = reports.filter((report) => report.freshness === 'live');
  const counted = formatCounted(live.length === 0 ? reports.length : live.length, 'source');
  const warning = findWarning(client);
  const agree = warning === '' && live.length > 1 && isSynced(client);
  return { kind: freshness, text: agree ? `${counted} agree` : counted, warning };
}

function findWarning({ duplicateNodeId, processes, types, sync = [] }: Described): string {
  if (duplicateNodeId)
    return processes === undefined
      ? 'sources differ'
      : `${formatCounted(processes.length, 'process', 'processes')} use this node ID`;
  const behind = (['ERROR', 'STALE'] as const).flatMap((status) => {
    const count = types.reduce((sum, { byConfigStatus }) => sum + (byConfigStatus[status] ?? 0), 0);
    return count === 0 ? [] : [`${formatCount(count)} ${status}`];
  });
  if (behind.length > 0) return behind.join(', ');
  const typesBehind = sync
    .flatMap(({ types: ofType }) => ofType)
    .filter(({ configStatus }) => configStatus === 'ERROR' || configStatus === 'STALE');
  return [...new Set(typesBehind.map(({ service, configStatus }) => `${service} ${configStatus}`))].join(
    ', ',
  );
}

function isSynced({ types, reports }: Described): boolean {
  const statuses = types.flatMap(({ byConfigStatus, sync }) =>
    [...Object.keys(byConfigStatus), sync ?? []].flat(),
  );
  const hasControlPlane = reports.some(
    ({ side, freshness }) => side === 'control-plane' && freshness === 'live',
  );
  return hasControlPlane && statuses.length > 0 && statuses.every((status) => status === 'SYNCED');
}
