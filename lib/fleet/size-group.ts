import { type FleetField, fleetFields, isFleetField } from './fleet-fields';

/** Clients are grouped by identical config, or by a field of their nodes. */
export type SizeGroup = 'runs' | FleetField;

/** Stands for the group that chooseSizeGroup() chooses. */
export const autoSizeGroup = 'auto';

export const sizeGroupsNamed = `${autoSizeGroup}, runs, ${Object.keys(fleetFields).join(', ')} or meta.KEY`;

export function isSizeGroup(text: string): text is SizeGroup {
  return text === 'runs' || isFleetField(text);
}

export const sizeSorts = ['bytes', 'growth'] as const;
export type SizeSort = (typeof sizeSorts)[number];
