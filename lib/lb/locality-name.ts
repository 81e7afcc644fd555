import type { Locality } from '../observation/observation';
import type { GrpcClient } from '../xds/profile';

const nowhere: Locality = { region: '', zone: '', subZone: '' };

/** Sorts as (region, zone, sub_zone) does. A locality that is not reported has an empty key. */
export function localityKey(locality: Locality | null): string {
  const { region, zone, subZone } = locality ?? nowhere;
  return `${region}\0${zone}\0${subZone}`;
}

/** The name that the client gives a locality among the targets of weighted_target. */
export function localityTargetName(locality: Locality | null, client: GrpcClient): string {
  const { region, zone, subZone } = locality ?? nowhere;
  switch (client) {
    case 'node':
      return `{region=${region},zone=${zone},sub_zone=${subZone}}`;
    case 'go': {
      const reported = [
        ['region', region],
        ['zone', zone],
        ['subZone', subZone],
      ].filter(([, value]) => value !== '');
      return JSON.stringify(Object.fromEntries(reported));
    }
    case 'core':
    case 'java':
      return `{region="${region}", zone="${zone}", sub_zone="${subZone}"}`;
  }
}
