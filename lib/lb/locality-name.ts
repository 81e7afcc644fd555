import type { Locality } from '../observation/observation';
import type { GrpcClient } from '../xds/profile';

const nowhere: Locality = { region: '', zone: '', subZone: '' };

/** Sorts as (region, zone, sub_zone) does. A locality that is not reported has an empty key. */
export function localityKey(locality: Locality | null): string {
  const { region, zone, subZone } = locality ?? nowhere;
  return `${region}\0${zone}\0${subZone}`;
}

/** The name that the client gives a locality among the targets of weighted_target. Go before 1.66 writes JSON. */
export function localityTargetName(locality: Locality | null, client: GrpcClient): string {
  const { region, zone, subZone } = locality ?? nowhere;
  if (client === 'node') return `{region=${region},zone=${zone},sub_zone=${subZone}}`;
  return `{region="${region}", zone="${zone}", sub_zone="${subZone}"}`;
}
