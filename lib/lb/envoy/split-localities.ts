interface WeightedLocality {
  /** A locality with weight 0 or null gets no requests. */
  readonly weight: number | null;
  /** Hosts that are eligible: the healthy ones, or the degraded ones. */
  readonly available: number;
  readonly total: number;
}

/**
 * Section 5.6: locality weights with overprovisioning. Shares of the priority's load, 0..1, are proportional to
 * weight * min(1, F * available / total), which Envoy does not round. They sum to 1, or to 0 if no locality is
 * available.
 */
export function splitLocalities(
  localities: readonly WeightedLocality[],
  overprovisioningFactor: number,
): number[] {
  const effective = localities.map(({ weight, available, total }) =>
    total <= 0 ? 0 : (weight ?? 0) * Math.min(1, (overprovisioningFactor * available) / (100 * total)),
  );
  const all = effective.reduce((sum, each) => sum + each, 0);
  return effective.map((each) => (all === 0 ? 0 : each / all));
}
