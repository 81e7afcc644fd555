const pattern = /(?:^|\/)(?:envoy\.admin\.|envoy\.config\.bootstrap\.v3\.Bootstrap$)/;

/**
 * Returns true if the type is a document that a process reports about itself, not a resource from a server: Envoy's
 * host states, certificates, server info (envoy.admin.*) and bootstrap. Such documents have no status, and they
 * differ between processes.
 */
export function isProcessDocument(typeUrl: string): boolean {
  return pattern.test(typeUrl);
}
