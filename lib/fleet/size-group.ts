import { type FleetField, fleetFields, isFleetField } from './fleet-fields';

/** By what clients are put together: what they run, or a field of their nodes. */
export type SizeGroup = 'runs' | FleetField;

/** `auto`: by the first that makes a picture of them, as chooseSizeGroup() finds it. */
export const autoSizeGroup = 'auto';

export const sizeGroupsNamed = `${autoSizeGroup}, runs, ${Object.keys(fleetFields).join(', ')} or meta.KEY`;

export function isSizeGroup(text: string): text is SizeGroup {
  return text === 'runs' || isFleetField(text);
}

/** Of clients and of a client's types: what is largest first, or what grew most since it was first measured. */
export const sizeSorts = ['bytes', 'growth'] as const;
export type SizeSort = (typeof sizeSorts)[number];
