import { bodyInEffect } from '../facts/effect';
import type { ModelOf } from '../model/model-of';
import type { OutlierDetection } from '../model/outlier-detection';
import type { ResourceModel } from '../model/parse-resource';
import type { ResourceRow } from '../observation/resource-row';
import { selectVirtualHost } from '../resolve/select-virtual-host';
import type { Profile } from '../xds/profile';

/** What the resources in effect configure, as far as known bugs depend on it. */
export interface ConfigUse {
  readonly clusters: readonly { readonly name: string; readonly outlierDetection: OutlierDetection | null }[];
  /** The EDS resources that have an endpoint with additional addresses. */
  readonly multiAddress: readonly string[];
  /** The route configurations of API listeners by RDS, without a virtual host for the name of the listener. */
  readonly unmatchedRoutes: readonly string[];
}

/** The names of listeners are the authorities of requests, except those in the form of xDS-TP. */
export function readConfigUse(rows: readonly ResourceRow[], modelOf: ModelOf, profile: Profile): ConfigUse {
  const models = rows.flatMap((row): { name: string; model: ResourceModel }[] => {
    const hash = bodyInEffect(row);
    const model = hash === undefined ? undefined : modelOf(hash, row.typeUrl);
    return model === undefined ? [] : [{ name: row.name, model }];
  });
  const tables = new Map(
    models.flatMap(({ name, model }) => (model.kind === 'route-config' ? [[name, model] as const] : [])),
  );
  const isUnmatched = (listener: string, routes: string): boolean => {
    const table = tables.get(routes);
    if (table === undefined || table.vhds || listener.startsWith('xdstp:')) return false;
    return selectVirtualHost(table.virtualHosts, listener, profile).kind === 'none';
  };
  return {
    clusters: models.flatMap(({ name, model }) =>
      model.kind === 'cluster' ? [{ name, outlierDetection: model.balancing.outlierDetection }] : [],
    ),
    multiAddress: models.flatMap(({ name, model }) => {
      const endpoints =
        model.kind === 'endpoints'
          ? model.priorities.flatMap(({ localities }) => localities.flatMap((each) => each.endpoints))
          : [];
      return endpoints.some(({ additionalAddresses }) => additionalAddresses.length > 0) ? [name] : [];
    }),
    unmatchedRoutes: models.flatMap(({ name, model }) => {
      const routes = model.kind === 'listener' ? model.apiListener?.routes : undefined;
      return routes?.kind === 'rds' && isUnmatched(name, routes.name) ? [routes.name] : [];
    }),
  };
}
