import { findAvailability } from './availability';

export interface WeightedLocality {
  /** 0 or null: it gets nothing. */
  readonly weight: number | null;
  /** Hosts that the load may go to: the healthy, the degraded, or in panic all. */
  readonly available: number;
  readonly total: number;
}

export interface LocalityShare {
  /** Whole per cent: min(100, F * available / total). */
  readonly availability: number;
  /** weight * availability: what shares are proportional to. */
  readonly effectiveWeight: number;
  /** Of the priority's load, 0..1. Sum to 1, or to 0 when no locality is available. */
  readonly share: number;
}

/**
 * Section 5.6: locality weights with overprovisioning. Availability is truncated to whole per cent, as for priorities;
 * newer Envoys keep its fraction, which moves shares by less than one per cent.
 */
export function splitLocalities(
  localities: readonly WeightedLocality[],
  overprovisioningFactor: number,
): LocalityShare[] {
  const effective = localities.map(({ weight, available, total }) => {
    const availability = findAvailability(available, total, overprovisioningFactor);
    return { availability, effectiveWeight: (weight ?? 0) * availability };
  });
  const all = effective.reduce((total, { effectiveWeight }) => total + effectiveWeight, 0);
  return effective.map((each) => ({ ...each, share: all === 0 ? 0 : each.effectiveWeight / all }));
}
