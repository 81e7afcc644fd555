import { isProcessDocument } from '../../xds/process-document';
import {
  CDS,
  compareTypeUrls,
  EDS,
  findResourceType,
  formatResourceType,
  LDS,
  RDS,
} from '../../xds/resource-type';

export interface FleetType {
  readonly typeUrl: string;
  /** "CDS", or the last word of a foreign type's name. */
  readonly label: string;
  /** "clusters", or the whole type URL of a foreign type. */
  readonly description: string;
}

const always = [LDS, RDS, CDS, EDS].map(({ typeUrl }) => typeUrl);

/**
 * Lists the resource types of the fleet in their fixed order. LDS, RDS, CDS and EDS are always included, so that columns
 * do not move. `inUse` are type URLs.
 */
export function buildFleetTypes(inUse: Iterable<string>): FleetType[] {
  const resources = [...inUse].filter((typeUrl) => !isProcessDocument(typeUrl));
  return [...new Set([...always, ...resources])].sort(compareTypeUrls).map((typeUrl) => ({
    typeUrl,
    label: formatResourceType(typeUrl),
    description: findResourceType(typeUrl)?.noun ?? typeUrl,
  }));
}
