import { routesOfHost } from '../model/route-config';
import type { Denied } from '../requests/filters/denied';
import { deniedByService } from '../requests/filters/services';
import { clientOf, type Profile } from '../xds/profile';
import { CDS, ECDS } from '../xds/resource-type';
import type { FilterUse } from './http-filters';
import type { ChainConfig } from './resolve-listener';
import type { Resolver } from './resolver';
import { whyCallsFail } from './xds-config';

/** Returns why each request to a cluster of an Envoy fails; empty if one can succeed, or if it is not known. */
export function failuresIn(
  resolver: Pick<Resolver, 'findCluster'>,
  profile: Profile,
): (cluster: string) => string {
  return (name) => {
    const entry = clientOf(profile) === 'envoy' ? resolver.findCluster(name) : undefined;
    return entry === undefined ? '' : whyCallsFail(entry);
  };
}

type Filter = FilterUse & Denied & { readonly service?: string };

/**
 * The HTTP filters of a chain with what they deny because their service cannot be called, and why each of its requests fails.
 * `whyFails` returns why each request to a cluster fails; empty if one can succeed.
 */
export function withServices(
  chain: Pick<ChainConfig, 'httpFilters' | 'hosts' | 'failure'>,
  whyFails: (cluster: string) => string,
): { readonly httpFilters: readonly Filter[]; readonly failure: ChainConfig['failure'] } {
  const httpFilters = chain.httpFilters.map((filter): Filter => {
    const denied = filter.ignoredBecause === '' ? deniedByService(filter.config, whyFails) : undefined;
    return { ...filter, ...denied };
  });
  return { httpFilters, failure: chain.failure ?? whyEachFails(httpFilters, chain) };
}

/** A route may have another config of the filter. */
function whyEachFails(
  filters: readonly Filter[],
  { hosts }: Pick<ChainConfig, 'hosts'>,
): ChainConfig['failure'] {
  const found = filters.find(
    ({ service, discovered, deniesAll }) => (service !== undefined || discovered === 'none') && deniesAll,
  );
  if (found === undefined) return undefined;
  const owners = hosts.flatMap(({ host }) => [host, ...[...routesOfHost(host)].map(({ route }) => route)]);
  if (owners.some(({ overrides }) => overrides?.some(({ filter }) => filter === found.name)))
    return undefined;
  return {
    text: `filter "${found.name}" ${found.denied}`,
    by:
      found.service === undefined
        ? { typeUrl: ECDS.typeUrl, name: found.name }
        : { typeUrl: CDS.typeUrl, name: found.service },
  };
}
