import type { ResourceRow } from '../../observation/resource-row';

/** Replaces the client's report by the control plane's in each row, in the order of the rows. */
export function buildControlPlaneRows(rows: readonly ResourceRow[]): ResourceRow[] {
  return rows.flatMap((row): ResourceRow[] => {
    if (row.side === 'control-plane') return [row];
    const { controlPlane } = row;
    if (controlPlane === null) return [];
    const { hash, versionInfo, sourceId, changedAt } = controlPlane;
    const sizeBytes = hash === row.hash ? row.sizeBytes : null;
    const reported = { hash, versionInfo, sourceId, changedAt, sizeBytes };
    const rest = {
      side: 'control-plane',
      state: 'UNKNOWN',
      clientStatus: 'UNKNOWN',
      answer: null,
      effect: null,
      errorState: null,
      controlPlane: null,
    } as const;
    return [{ ...row, ...reported, ...rest }];
  });
}
