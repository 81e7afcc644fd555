/** The default in per cent. The share of available hosts is multiplied by this factor. */
export const defaultOverprovisioningFactor = 140;

/** min(100, F * available / total) in whole per cent, truncated; 0 if there are no hosts. */
export function findAvailability(available: number, total: number, overprovisioningFactor: number): number {
  if (total <= 0) return 0;
  return Math.min(100, Math.floor((overprovisioningFactor * available) / total));
}
