import type { ResourceRow } from '../../observation/resource-row';

/** What control planes say that they sent: their word in the place of the client's. In the order of the rows. */
export function takeControlPlane(rows: readonly ResourceRow[]): ResourceRow[] {
  return rows.flatMap((row): ResourceRow[] => {
    if (row.side === 'control-plane') return [row];
    const { controlPlane } = row;
    if (controlPlane === null) return [];
    const { hash, versionInfo, sourceId, changedAt } = controlPlane;
    const sizeBytes = hash === row.hash ? row.sizeBytes : null;
    const reported = { hash, versionInfo, sourceId, changedAt, sizeBytes };
    return [
      {
        ...row,
        ...reported,
        side: 'control-plane',
        clientStatus: 'UNKNOWN',
        errorState: null,
        controlPlane: null,
      },
    ];
  });
}
