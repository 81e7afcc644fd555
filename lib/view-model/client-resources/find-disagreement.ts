import type { RowOf } from '../../observation/resource-row';

/** In what the client's word and the control plane's word on one resource differ. */
export interface Disagreement {
  /** `version-only`: the bodies are the same under two versions, which harms nobody. */
  readonly kind: 'version' | 'body' | 'version-only';
  readonly text: string;
}

/**
 * Two facts, never merged: what the client runs and what its control plane says it sent. undefined where they agree,
 * or where only one of them spoke.
 */
export function findDisagreement(row: RowOf<unknown>): Disagreement | undefined {
  const other = row.controlPlane;
  if (other === null || row.side === 'control-plane') return undefined;
  // Rejected, and nothing was accepted before: that is all there is to say, and the reason says it.
  if (row.versionInfo === '' && row.errorState?.versionInfo === other.versionInfo) return undefined;
  const bothReported = row.hash !== null && other.hash !== null;
  const sameBody = bothReported && row.hash === other.hash;
  if (row.versionInfo === other.versionInfo) {
    if (!bothReported || sameBody) return undefined;
    return { kind: 'body', text: `both say version ${quote(row.versionInfo)}, with different bodies` };
  }
  // Some clients keep the old version when an unchanged resource is sent again under a new one.
  if (sameBody) {
    return {
      kind: 'version-only',
      text: `same body: client ${quote(row.versionInfo)}, control plane ${quote(other.versionInfo)}`,
    };
  }
  return {
    kind: 'version',
    text: `client runs ${quote(row.versionInfo)}, control plane sent ${quote(other.versionInfo)}`,
  };
}

function quote(version: string): string {
  return version === '' ? 'no version' : `"${version}"`;
}
