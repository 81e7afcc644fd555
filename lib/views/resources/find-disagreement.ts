import type { ResourceRow } from '../../observation/resource-row';

/** How the reports of the client and of the control plane on one resource differ. */
interface Disagreement {
  /** `version-only`: the bodies are equal, with different versions. */
  readonly kind: 'version' | 'body' | 'version-only';
  readonly text: string;
}

/**
 * Compares what the client runs with what its control plane reports it sent. Returns undefined if they agree, or if one of
 * them does not report the resource.
 */
export function findDisagreement(row: ResourceRow): Disagreement | undefined {
  const other = row.controlPlane;
  if (other === null || row.side === 'control-plane') return undefined;
  // istiod reports no version of what it would send, and Envoy writes bodies of its own, so that neither can be compared.
  if (other.versionInfo === '' && row.versionInfo !== '') return undefined;
  // The client rejected the first version: the status and the error state that already.
  if (row.versionInfo === '' && row.errorState?.versionInfo === other.versionInfo) return undefined;
  const bothReported = row.hash !== null && other.hash !== null;
  const sameBody = bothReported && row.hash === other.hash;
  if (row.versionInfo === other.versionInfo) {
    if (!bothReported || sameBody) return undefined;
    return { kind: 'body', text: `both report version ${quote(row.versionInfo)}, with different bytes` };
  }
  // Some clients keep the old version if an unchanged resource is sent with a new version.
  if (sameBody) {
    const text = `in sync: the content is unchanged since version ${quote(row.versionInfo)} at the client, and was sent again as version ${quote(other.versionInfo)}`;
    return { kind: 'version-only', text };
  }
  const text = `client runs ${quote(row.versionInfo)}, control plane sent ${quote(other.versionInfo)}`;
  return { kind: 'version', text };
}

function quote(version: string): string {
  return version === '' ? 'no version' : `"${version}"`;
}
