import { compareNames } from '../format/compare-names';
import { compareTypeUrls } from '../xds/resource-type';
import type { ResourceKey } from './observation';

/** The one order of resources in every list: types in their fixed order, names as people count. */
export function compareResourceKeys(a: ResourceKey, b: ResourceKey): number {
  return compareTypeUrls(a.typeUrl, b.typeUrl) || compareNames(a.name, b.name);
}
