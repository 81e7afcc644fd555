/** Per cent: by what the share of available hosts is multiplied before it counts. */
export const defaultOverprovisioningFactor = 140;

/** min(100, F * available / total) in whole per cent, truncated as integers are; 0 when there are no hosts. */
export function findAvailability(available: number, total: number, overprovisioningFactor: number): number {
  if (total <= 0) return 0;
  return Math.min(100, Math.floor((overprovisioningFactor * available) / total));
}
