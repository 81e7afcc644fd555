import type { SourceSync, TypeSync } from '../../api/clients';
import { by, inTurn } from '../../collections/compare';
import { type ClientReport, type ClientState, resourceKey } from '../../observation/client-state';
import { compareTypeUrls, formatResourceType } from '../../xds/resource-type';
import { compareFreshness, type FreshnessOf, listReports } from './choose-report';

/** Builds the status of whole types, which control planes report in rows without a name. */
export function buildTypeSync(
  client: ClientState,
  typeUrls: Iterable<string>,
  freshnessOf: FreshnessOf,
): SourceSync[] {
  const wanted = [...new Set(typeUrls)].sort(compareTypeUrls);
  return listReports(client, 'control-plane')
    .map((report): SourceSync => {
      const { freshness } = freshnessOf(report, client.clientId);
      return { sourceId: report.sourceId, freshness, types: typesOf(report, wanted) };
    })
    .filter(({ types }) => types.length > 0)
    .sort(
      inTurn(
        by(({ freshness }) => freshness, compareFreshness),
        by(({ sourceId }) => sourceId),
      ),
    );
}

function typesOf({ resources }: ClientReport, typeUrls: readonly string[]): TypeSync[] {
  return typeUrls.flatMap((typeUrl) => {
    const row = resources.get(resourceKey({ typeUrl, name: '' }));
    if (row === undefined) return [];
    const { configStatus, lastUpdated, errorState, nonces } = row;
    return [
      {
        ...{ typeUrl, service: formatResourceType(typeUrl), configStatus },
        lastUpdated,
        error: errorState?.details ?? '',
        ...(nonces && { nonces }),
      },
    ];
  });
}
