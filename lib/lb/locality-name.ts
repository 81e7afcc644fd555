import type { Locality } from '../observation/observation';
import { before, clientOf, type Profile } from '../xds/profile';

const nowhere: Locality = { region: '', zone: '', subZone: '' };

/** Sorts as (region, zone, sub_zone) does. A locality that is not reported has an empty key. */
export function localityKey(locality: Locality | undefined): string {
  const { region, zone, subZone } = locality ?? nowhere;
  return `${region}\0${zone}\0${subZone}`;
}

const writingJson = before('go-1.73');

/** The name that the client gives a locality among the targets of weighted_target. */
export function localityTargetName(locality: Locality | undefined, profile: Profile): string {
  const { region, zone, subZone } = locality ?? nowhere;
  if (clientOf(profile) === 'node') return `{region=${region},zone=${zone},sub_zone=${subZone}}`;
  if (writingJson.includes(profile)) return writeGoJson({ region, zone, subZone });
  return `{region="${region}", zone="${zone}", sub_zone="${subZone}"}`;
}

/** As encoding/json does, with omitempty. */
function writeGoJson(locality: Locality): string {
  const filled = Object.entries(locality).filter(([, text]) => text !== '');
  return JSON.stringify(Object.fromEntries(filled)).replace(
    /[<>&]/g,
    (at) => `\\u00${at.charCodeAt(0).toString(16)}`,
  );
}
