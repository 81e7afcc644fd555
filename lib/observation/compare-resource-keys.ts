import { compareNames } from '../format/compare-names';
import { compareTypeUrls } from '../xds/resource-type';
import type { ResourceKey } from './resource-state';

/** The order of resources in every list: by type in a fixed order, then by name with numbers in numeric order. */
export function compareResourceKeys(a: ResourceKey, b: ResourceKey): number {
  return compareTypeUrls(a.typeUrl, b.typeUrl) || compareNames(a.name, b.name);
}
