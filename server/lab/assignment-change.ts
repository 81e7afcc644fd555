import type { LabAssignmentChange } from '@/lib/api/lab';
import { type ShopLocality, shopAssignments, shopLocalities } from './shop/shop-localities';

/** Finds the localities to which a change applies. Throws if there are none, with the expected and actual value. */
export function findLocalities(
  assignment: string,
  { priority, zone }: Pick<LabAssignmentChange, 'priority' | 'zone'>,
): readonly ShopLocality[] {
  const all = shopLocalities.filter((each) => each.assignment === assignment);
  if (all.length === 0) {
    throw new Error(`assignment: expected one of ${shopAssignments.join(', ')}, got "${assignment}"`);
  }
  const meant = all.filter(
    (each) =>
      (priority === undefined || each.priority === priority) &&
      (zone === undefined || each.locality.zone === zone),
  );
  if (meant.length === 0) {
    const there = all.map((each) => `P${each.priority} ${each.locality.zone}`).join(', ');
    const got = [priority === undefined ? '' : `P${priority}`, zone ?? ''].filter(Boolean).join(' ');
    throw new Error(`locality: expected one of ${there}, got ${got}`);
  }
  return meant;
}
