import { findAvailability } from './availability';

export interface WeightedLocality {
  /** A locality with weight 0 or null gets no requests. */
  readonly weight: number | null;
  /** Hosts that are eligible: the healthy ones, the degraded ones, or in panic all of them. */
  readonly available: number;
  readonly total: number;
}

export interface LocalityShare {
  /** Whole per cent: min(100, F * available / total). */
  readonly availability: number;
  /** weight * availability. Shares are proportional to it. */
  readonly effectiveWeight: number;
  /** Share of the priority's load, 0..1. Shares sum to 1, or to 0 if no locality is available. */
  readonly share: number;
}

/**
 * Section 5.6: locality weights with overprovisioning. Availability is truncated to whole per cent, as for
 * priorities; newer Envoys keep the fraction, which changes shares by less than one per cent.
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
